package costs

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/examples/ownlimits"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/internal/test/sim"
	"github.com/headway-go/headway/ratelimittest"
	"github.com/headway-go/headway/validate"
)

// A client whose hook reads the form of its API keeps under the limit and uses the quota, as with fields. Without the hook
// a refusal with status 200 is not even noticed.
func TestFormsOfOnesOwn(t *testing.T) {
	const cost = 10
	points := func(*http.Request) int64 { return cost }
	pairs, err := validate.ReadProfiles([]byte(`{"host": "api.example.com", "fields": [
		{"name": "X-App-Rate-Limit", "policy": "app", "pattern": "(?<limit>\\d+):(?<window>\\d+)"},
		{"name": "X-App-Rate-Limit-Count", "policy": "app", "pattern": "(?<used>\\d+):(?<window>\\d+)"}]}`))
	require.NoError(t, err)
	for _, test := range []struct {
		name    string
		limiter ratelimittest.Limiter
		dialect ratelimittest.Dialect
		body    *sim.Body                             // nil: the fields tell it
		hook    func(*http.Response) validate.Reading // nil: headway reads it by itself, or by the profile
		cost    func(*http.Request) int64
		calls   int
		refused float64 // per mille, at most
		used    float64 // at least
	}{
		{"a bucket of points", &ratelimittest.TokenBucket{Policy: ratelimittest.Per(1000, 20*time.Second)}, nil, sim.CostBody, ownlimits.Shopify, points, 1000, 2, 0.9},
		{"pairs", ratelimittest.All(&ratelimittest.FixedWindow{Policy: ratelimittest.Per(20, time.Second)}, &ratelimittest.FixedWindow{Policy: ratelimittest.Per(100, 2*time.Minute)}), sim.Pairs, nil, nil, nil, 600, 5, 0.95},
		{"a wait in a refusal", &ratelimittest.FixedWindow{Policy: ratelimittest.Per(60, time.Minute)}, nil, sim.RetryAfterBody, ownlimits.Telegram, nil, 600, 150, 0.85},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := ratelimittest.Scenario{
				Limiter: test.limiter, Dialect: ratelimittest.Silent, RetryAfter: ratelimittest.Silent, Cost: test.cost,
				NewCall: asking,
				Load:    ratelimittest.Batch{Requests: test.calls, Workers: 8}, Latency: 50 * time.Millisecond,
				Duration: 24 * time.Hour,
			}
			if test.dialect != nil {
				s.Dialect = test.dialect
			}
			if test.body != nil {
				s.Next, s.Refuse = test.body.Next, test.body.Refuse
			}
			f := run(t, &headway.Transport{Limits: test.hook, Profiles: pairs}, s)
			t.Logf("with the hook:\n%v", f)
			require.GreaterOrEqual(t, f.Allowed, test.calls*99/100, "nearly all are served")
			require.LessOrEqual(t, f.RefusedPerMille(), test.refused)
			require.GreaterOrEqual(t, f.Used, test.used)
			t.Logf("without it:\n%v", run(t, &headway.Transport{Profiles: pairs}, s))
		})
	}
}

// asking makes calls that send a query.
func asking(client *http.Client) func(context.Context) error {
	return func(ctx context.Context) error {
		ctx = headway.WithCost(ctx, "points", 10)
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, kit.URL, strings.NewReader("{}"))
		if err != nil {
			return err
		}
		resp, err := client.Do(req)
		if err != nil {
			return err
		}
		defer resp.Body.Close() //nolint:errcheck // it is in memory
		body, err := io.ReadAll(resp.Body)
		if err == nil && strings.Contains(string(body), `"errors"`) {
			err = fmt.Errorf("refused: %s", body)
		}
		return err
	}
}
