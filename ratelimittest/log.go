package ratelimittest

import (
	"slices"
	"sync"
	"time"
)

// An Arrival is one request as the server saw it.
type Arrival struct {
	Time       time.Time // when it arrived
	Client     string    // whose quota it used, as Handler.Client names it
	RemoteAddr string    // where it came from
	Method     string
	Path       string
	Cost       int64 // in quota units
	Allowed    bool  // false: refused because of the limit
	Status     int   // of the response; 0 until the handler has returned, and for ever if it panicked
}

// A Log is what arrived at a Handler, of which Arrivals has the figures. Its zero
// value is empty. It grows by one Arrival per request until Reset, and is safe for
// concurrent use.
type Log struct {
	mu       sync.Mutex
	arrivals []*Arrival // guarded by mu, the Arrivals too
}

// Arrivals returns a copy of the log, in the order of arrival.
func (l *Log) Arrivals() Arrivals {
	l.mu.Lock()
	all := make(Arrivals, len(l.arrivals))
	for i, a := range l.arrivals {
		all[i] = *a
	}
	l.mu.Unlock()
	// Two requests may look at the clock in one order and come here in another.
	slices.SortStableFunc(all, func(a, b Arrival) int { return a.Time.Compare(b.Time) })
	return all
}

// Reset empties the log.
func (l *Log) Reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.arrivals = nil
}

func (l *Log) add(a Arrival) *Arrival {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.arrivals = append(l.arrivals, &a)
	return &a
}

func (l *Log) answered(a *Arrival, status int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a.Status = status
}
