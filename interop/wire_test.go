package interop_test

import (
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/headway-go/headway/ratelimittest"
)

// A wire records requests and how they were answered. The zero value is empty. It is safe for concurrent use.
type wire struct {
	mu   sync.Mutex
	sent ratelimittest.Arrivals // guarded by mu
}

// below returns a RoundTripper that sends through base and records.
func (w *wire) below(base http.RoundTripper) http.RoundTripper { return wired{w, base} }

type wired struct {
	wire *wire
	base http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (w wired) RoundTrip(req *http.Request) (*http.Response, error) {
	at := time.Now()
	resp, err := w.base.RoundTrip(req)
	if err == nil {
		w.wire.add(ratelimittest.Arrival{Time: at, Status: resp.StatusCode, Allowed: resp.StatusCode < http.StatusBadRequest})
	}
	return resp, err
}

func (w *wire) add(a ratelimittest.Arrival) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sent = append(w.sent, a)
}

// all returns the requests in the order in which they were sent.
func (w *wire) all() ratelimittest.Arrivals {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := slices.Clone(w.sent)
	slices.SortStableFunc(all, func(a, b ratelimittest.Arrival) int { return a.Time.Compare(b.Time) })
	return all
}
