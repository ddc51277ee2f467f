package series

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/series/seriestest"
	"github.com/headway-go/headway/ratelimittest"
)

// Limits beyond the bound share one label. A limit with that label is counted with them.
func TestLimits(t *testing.T) {
	s := &series[*tally]{limits: words{room: 2}}
	rest := Limit{Other, Other}
	for _, row := range []struct {
		policy, unit string
		want         Limit
	}{
		{Other, "tokens", rest},
		{"", "", Limit{"", ""}},
		{"a\n", "b", Limit{"a\ufffd", "b"}},
		{"a", "\nb", rest},
		{"", "", Limit{"", ""}},
		{"", "tokens", rest},
	} {
		require.Equal(t, row.want, s.limit(row.policy, row.unit), "%q %q", row.policy, row.unit)
	}
}

// A server that makes up policies, units and names cannot exceed the bounds.
func TestHostileNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		set := tallied()
		set.MaxPolicies = 8
		names := make(map[Limit]headway.LimitState)
		tricks := []string{Other, strings.Repeat("long", 200), "", `"} 1`, "{}", `\`, "a%0Ab", "# TYPE", "otel.metric.overflow"}
		server := &ratelimittest.Transport{}
		transport := seriestest.Instrumented(t, set, server)
		for i := range 500 {
			name := tricks[i%len(tricks)] + strings.Repeat("?", i/len(tricks)%7)
			server.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Add("RateLimit-Policy", fmt.Sprintf(`%q;q=100;w=1;qu="unit%d", "%d";q=9;w=1`, name, i, i))
				w.Header().Add("RateLimit", fmt.Sprintf(`%q;r=100;t=1, "%d";r=8;t=1`, name, i))
			})
			require.NoError(t, seriestest.Get(t.Context(), transport, fmt.Sprintf("%s/%d", testPartition, i)))
			maps.Copy(names, set.sum().Limits)
		}
		require.Len(t, names, 8+1)
		require.Contains(t, names, Limit{Other, Other})
	})
}
