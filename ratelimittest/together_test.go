package ratelimittest_test

import (
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/ratelimittest"
	"github.com/headway-go/headway/validate"
)

func TestTogether(t *testing.T) {
	runGoldens(t, []golden{
		{"two families", ratelimittest.Together(ratelimittest.Draft10, ratelimittest.XRateLimitDelta), one, []string{
			`RateLimit-Policy: "default";q=100;w=60`,
			`RateLimit: "default";r=50;t=30`,
			"X-RateLimit-Limit: 100",
			"X-RateLimit-Remaining: 50",
			"X-RateLimit-Reset: 30",
		}},
		{"a field that both write", ratelimittest.Together(ratelimittest.XRateLimit, ratelimittest.XRateLimitDelta), one, []string{
			"X-RateLimit-Limit: 100",
			"X-RateLimit-Limit: 100",
			"X-RateLimit-Remaining: 50",
			"X-RateLimit-Remaining: 50",
			"X-RateLimit-Reset: 1893456030",
			"X-RateLimit-Reset: 30",
		}},
		{"none", ratelimittest.Together(), one, nil},
	})
}

// A client reads the same limit in three dialects as one limit.
func TestTogetherIsReadAsOneLimit(t *testing.T) {
	d := ratelimittest.Together(ratelimittest.Draft10, ratelimittest.TrioEpoch, ratelimittest.XRateLimitRFC3339)
	h := written(d, one)
	h.Set("Date", decided.Format(http.TimeFormat))
	reading := validate.Response(&http.Response{StatusCode: http.StatusOK, Header: h}, decided, validate.Bounds{})
	require.Empty(t, reading.Problems)
	require.Equal(t, []limits.Reported{
		{Policy: "default", Unit: "requests", Quota: 100, Remaining: 50, Window: time.Minute, Reset: 30 * time.Second, Dialect: limits.DialectRateLimit},
	}, reading.Limits)
}

func TestOnlyWhen(t *testing.T) {
	d := ratelimittest.OnlyWhen(ratelimittest.XRateLimitDelta, func(d ratelimittest.Decision) bool { return !d.Allowed })
	runGoldens(t, []golden{
		{"allowed", d, one, nil},
		{"refused", d, refusal, []string{"X-RateLimit-Limit: 100", "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 3"}},
	})
}

func TestEveryNth(t *testing.T) {
	tests := []struct {
		name string
		n    int
		want string // R: rare, u: usual
	}{
		{"every third", 3, "uuRuuRuu"},
		{"every one", 1, "RRRRRRRR"},
		{"0", 0, "uuuuuuuu"},
		{"negative", -3, "uuuuuuuu"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.want, rareAndUsual(ratelimittest.EveryNth(tt.n, ratelimittest.XRateLimit, ratelimittest.Draft10), len(tt.want)))
		})
	}
}

// rareAndUsual returns which of the two dialects wrote each of n responses.
func rareAndUsual(d ratelimittest.Dialect, n int) (got string) {
	for range n {
		if written(d, one).Get("X-RateLimit-Limit") != "" {
			got += "R"
		} else {
			got += "u"
		}
	}
	return got
}

// atRandom is XRateLimit with probability p, and otherwise usual.
func atRandom(p float64, seed uint64, usual ratelimittest.Dialect) ratelimittest.Dialect {
	return ratelimittest.AtRandom(rand.New(rand.NewPCG(seed, 1)), p, ratelimittest.XRateLimit, usual)
}

func TestAtRandom(t *testing.T) {
	pick := func(p float64, seed uint64) string {
		return rareAndUsual(atRandom(p, seed, ratelimittest.Draft10), 30)
	}
	require.Equal(t, strings.Repeat("u", 30), pick(0, 1))
	require.Equal(t, strings.Repeat("u", 30), pick(-1, 1))
	require.Equal(t, strings.Repeat("R", 30), pick(1, 1))
	require.Equal(t, strings.Repeat("R", 30), pick(2, 1))
	some := pick(0.3, 1)
	require.Contains(t, some, "R")
	require.Contains(t, some, "u")
	require.Equal(t, some, pick(0.3, 1), "the same seed")
	require.NotEqual(t, some, pick(0.3, 2), "another seed")
}

func TestChoosingDialectsIsSafeForConcurrentUse(t *testing.T) {
	for name, d := range map[string]ratelimittest.Dialect{
		"EveryNth": ratelimittest.EveryNth(4, ratelimittest.XRateLimit, ratelimittest.Silent),
		"AtRandom": atRandom(0.25, 1, ratelimittest.Silent),
		"Renaming": ratelimittest.Renaming(ratelimittest.Draft10),
	} {
		t.Run(name, func(t *testing.T) {
			got := make([]http.Header, 1000)
			var wg sync.WaitGroup
			for i := range got {
				wg.Go(func() { got[i] = written(d, one) })
			}
			wg.Wait()
			responses := map[string]int{}
			for _, h := range got {
				responses[h.Get("RateLimit")+h.Get("X-RateLimit-Limit")]++
			}
			switch name {
			case "EveryNth":
				require.Equal(t, 250, responses["100"])
			case "AtRandom":
				require.InDelta(t, 250, responses["100"], 50)
			case "Renaming":
				require.Len(t, responses, 1000)
			}
		})
	}
}
