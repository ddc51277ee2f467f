package pacing

import (
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/ratelimittest"
)

// In an outage of plain 503s, and after it, the client goes on as before, with the limits that it knew.
func TestOutageWithKnownLimits(t *testing.T) {
	const quota, part, latency = 60, 5 * time.Minute, 50 * time.Millisecond
	for name, d := range map[string]dialect{"draft-10": draft10, "trio": trio, "X-RateLimit": xRateLimit, "named": throttlers} {
		if kit.Raced && name != "draft-10" {
			continue // the race detector does not need the figures
		}
		t.Run(name, func(t *testing.T) {
			var sent log
			at := func(part5 int) time.Time { return kit.Epoch().Add(time.Duration(part5) * part) }
			inOutage := func(*http.Request) bool { return !time.Now().Before(at(6)) && time.Now().Before(at(7)) }
			f := ratelimittest.Run(t, ratelimittest.Scenario{
				Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(quota, time.Minute)}, Dialect: d.write, Latency: latency,
				Load: ratelimittest.Batch{Requests: 12 * 5 * quota, Workers: 8}, Start: kit.Epoch(),
				Front: func(h http.Handler) http.Handler {
					return sent.of(ratelimittest.Fault{When: inOutage, Status: http.StatusServiceUnavailable}.Wrap(h))
				},
				NewClient: func(base http.RoundTripper) *http.Client {
					return &http.Client{Transport: kit.Seeded(t, &headway.Transport{Base: base})}
				},
			})
			require.Zero(t, f.Refused)
			before := sent.between(at(5), at(6))
			for i := 6; i < 11; i++ {
				off := 0.1
				if i == 6 && name == "named" { // without responses a measured window is not sure
					off = 0.6
				}
				require.InEpsilon(t, before, sent.between(at(i), at(i+1)), off, "%d min after the beginning", 5*i)
			}
			calm, during, after := medianWait(f, at(0), at(6)), medianWait(f, at(6), at(7)), medianWait(f, at(7), at(11))
			t.Logf("median waits of %v, %v in the outage, %v afterwards", calm, during, after)
			require.InEpsilon(t, calm, during, 2)
			require.InEpsilon(t, calm, after, 0.1)
		})
	}
}

// A log has the times at which requests have arrived.
type log struct {
	mu   sync.Mutex
	sent []time.Time
}

func (l *log) of(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.mu.Lock()
		l.sent = append(l.sent, time.Now())
		l.mu.Unlock()
		h.ServeHTTP(w, r)
	})
}

// between returns how many requests were sent in a time.
func (l *log) between(from, until time.Time) (n int) {
	for _, at := range l.sent {
		if !at.Before(from) && at.Before(until) {
			n++
		}
	}
	return n
}

// medianWait returns how long the calls of a time took.
func medianWait(f ratelimittest.Figures, from, until time.Time) time.Duration {
	var all []time.Duration
	for _, o := range f.Outcomes[0] {
		if !o.Start.Before(from) && o.Start.Before(until) {
			all = append(all, o.End.Sub(o.Start))
		}
	}
	slices.Sort(all)
	return all[len(all)/2]
}
