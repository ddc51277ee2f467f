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
)

// A client whose hook reads the form of its API keeps under the limit and uses the quota, as with fields. Without the hook
// a refusal with status 200 is not even noticed.
func TestFormsOfOnesOwn(t *testing.T) {
	const calls = 1000
	s := ratelimittest.Scenario{
		Limiter: &ratelimittest.TokenBucket{Policy: ratelimittest.Per(1000, 20*time.Second)},
		Dialect: ratelimittest.Silent, RetryAfter: ratelimittest.Silent,
		Cost: func(*http.Request) int64 { return 10 },
		Next: sim.CostBody.Next, Refuse: sim.CostBody.Refuse,
		NewCall: asking,
		Load:    ratelimittest.Batch{Requests: calls, Workers: 8}, Latency: 50 * time.Millisecond,
		Duration: 24 * time.Hour,
	}
	f := run(t, &headway.Transport{Limits: ownlimits.Shopify}, s)
	t.Logf("with the hook:\n%v", f)
	require.GreaterOrEqual(t, f.Allowed, calls*99/100, "nearly all are served")
	require.LessOrEqual(t, f.RefusedPerMille(), 2.0)
	require.GreaterOrEqual(t, f.Used, 0.9)
	t.Logf("without it:\n%v", run(t, &headway.Transport{}, s))
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
