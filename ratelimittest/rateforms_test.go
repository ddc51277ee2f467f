package ratelimittest

import (
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/meter"
)

// A rateForm makes a Linear or an Exponential in one of its forms. size returns the number of clients in its
// table.
type rateForm struct {
	name string
	make func(quota int64, window time.Duration) (l foreseeingLimiter, size func() int)
}

func rateForms() []rateForm {
	linear := func(strict bool, penalty float64) func(int64, time.Duration) (foreseeingLimiter, func() int) {
		return func(quota int64, window time.Duration) (foreseeingLimiter, func() int) {
			l := &Linear{Policy: Per(quota, window)}
			l.Strict, l.Penalty = strict, time.Duration(penalty*float64(window))
			return l, func() int { return l.clients.Len() }
		}
	}
	exponential := func(strict bool) func(int64, time.Duration) (foreseeingLimiter, func() int) {
		return func(quota int64, window time.Duration) (foreseeingLimiter, func() int) {
			e := &Exponential{Policy: Per(quota, window)}
			e.Strict = strict
			return e, func() int { return e.clients.Len() }
		}
	}
	return []rateForm{
		{"linear, lenient", linear(false, 0)},
		{"linear, strict", linear(true, 0)},
		{"linear, short penalty", linear(false, 0.1)},
		{"linear, long penalty", linear(true, 3)},
		{"exponential, leaky", exponential(false)},
		{"exponential, strict", exponential(true)},
	}
}

// A taken is one call of Take in a history.
type taken struct {
	at   time.Time
	cost int64
}

// RetryAfter is exact, whatever happened before: Take allows the request then, and refuses it one nanosecond
// earlier. Each attempt changes the limiter, so each is made on a new limiter with the same history.
func TestRateFormsHaveAnExactRetryAfter(t *testing.T) {
	start := time.Date(2030, time.January, 1, 0, 0, 0, 0, time.UTC)
	windows := []time.Duration{977, time.Millisecond, time.Second, 7 * time.Second, time.Minute, time.Hour, 30 * 24 * time.Hour}
	for _, form := range rateForms() {
		t.Run(form.name, func(t *testing.T) {
			refusals := 0
			for seed := range uint64(30) {
				rnd := rand.New(rand.NewPCG(seed, 3))
				quota, window := rnd.Int64N(30)+1, windows[rnd.IntN(len(windows))]
				var history []taken
				takeAnew := func(r taken) Decision {
					l, _ := form.make(quota, window)
					for _, past := range history {
						l.Take(past.at, "client", past.cost)
					}
					return l.Take(r.at, "client", r.cost)
				}
				l, _ := form.make(quota, window)
				now := start
				for range 30 {
					now = now.Add(time.Duration(rnd.ExpFloat64() * float64(window) / float64(quota)))
					r := taken{now, rnd.Int64N(min(quota, 5)) + 1}
					predicted, ever := next(l, r.at, r.cost)
					require.True(t, ever)
					d := l.Take(r.at, "client", r.cost)
					require.Equal(t, d.Allowed, predicted.Equal(now))
					history = append(history, r)
					if d.Allowed {
						require.Zero(t, d.RetryAfter)
						continue
					}

					refusals++
					require.Positive(t, d.RetryAfter)
					at, ever := next(l, now, r.cost)
					require.True(t, ever)
					require.Equal(t, now.Add(d.RetryAfter), at, "next agrees with RetryAfter")
					later, ever := next(l, now.Add(d.RetryAfter/2), r.cost)
					require.True(t, ever)
					require.Equal(t, at, later, "waiting changes nothing")
					require.True(t, takeAnew(taken{at, r.cost}).Allowed)
					require.False(t, takeAnew(taken{at.Add(-1), r.cost}).Allowed)
					if rnd.IntN(3) == 0 {
						now = at // this client comes when it may
					}
				}
				_, ever := next(l, now, quota+1)
				require.False(t, ever)
				require.Zero(t, l.Take(now, "client", quota+1).RetryAfter)
				at, ever := next(l, now, 0)
				require.True(t, ever)
				require.Equal(t, now, at, "cost 0 is always allowed")
			}
			require.Greater(t, refusals, 100)
		})
	}
}

// A client is forgotten exactly when that changes no decision, so a client that is kept out is not forgotten
// early.
func TestRateFormsReclaimIdleState(t *testing.T) {
	start := time.Unix(0, 0)
	for _, form := range rateForms() {
		t.Run(form.name, func(t *testing.T) {
			l, size := form.make(10, time.Minute)
			for i := range 500 {
				for range 40 {
					l.Take(start, strconv.Itoa(i), 1)
				}
			}
			require.Equal(t, 500, size())
			full, ever := next(l, start, 10)
			require.True(t, ever)
			l.Take(full.Add(-1), "other", 1)
			require.Equal(t, 501, size())
			require.False(t, l.Take(full.Add(-1), "0", 10).Allowed)

			l.Take(full.Add(time.Hour), "last", 1)
			require.Equal(t, 1, size())
		})
	}
}

func TestRateFormsAreBounded(t *testing.T) {
	for _, form := range rateForms() {
		l, size := form.make(10, time.Minute)
		for i := range meter.MaxClients + 100 {
			l.Take(time.Unix(0, 0), strconv.Itoa(i), 1)
		}
		require.Equal(t, meter.MaxClients, size(), form.name)
	}
}
