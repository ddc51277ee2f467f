package pacer

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A refusal that tells to wait for most of a window is one of a window, and does not
// tell that an earlier one told too early a time.
func TestDry(t *testing.T) {
	for _, row := range []struct {
		name       string
		retryAfter time.Duration
		dry        bool
	}{
		{"for a unit to come back", second, false},
		{"for half of the window", 30 * second, false},
		{"for more", 31 * second, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			d.get(says(60, minute, 30, minute))
			d.limit().refill.prove()
			d.get(refuses(says(60, minute, 0, row.retryAfter), row.retryAfter))
			require.Equal(t, row.dry, d.limit().refill.dry)
			require.Equal(t, !row.dry, d.limit().refill.proven())
			d.advance(row.retryAfter + 100*time.Millisecond)
			d.get(refuses(says(60, minute, 0, row.retryAfter), row.retryAfter))
			require.Equal(t, row.dry, d.p.hold.slack() == 0, "others were quicker")
		})
	}
	l := limit{}
	l.refill.dry = true
	l.refill.suspect()
	require.False(t, l.refill.dry, "units came back early after all")
}
