package depot_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

// A thousand calls at once stay within 100 per minute without a refusal. They are spread over ten minutes,
// which take milliseconds in virtual time.
func TestManyCallsMeetTheLimit(t *testing.T) {
	f, items := play(t, ratelimittest.Scenario{
		Limiter: hundredPerMinute(),
		Dialect: ratelimittest.Draft10,
		Load:    crowd(1000),
	})
	require.Equal(t, 1000, f.Served)
	require.Len(t, items, 1000)
	require.Zero(t, f.Refused)
	require.Less(t, f.Took, 10*time.Minute+10*time.Second)
	require.Less(t, f.Arrivals.Busiest(6*time.Second), 30, "in a tenth of a window, where an even share is 10")
}
