package ratelimittest

import (
	"slices"
	"sync"
	"time"
)

// An Arrival is one request as the Handler saw it.
type Arrival struct {
	Time       time.Time // when the request arrived
	Client     string    // the client whose quota the request used, as Handler.Client names it
	RemoteAddr string    // the client's address
	Method     string
	Path       string
	Cost       int64 // in quota units
	Allowed    bool  // false: refused because of the limit
	Status     int   // of the response; 0 until the handler has returned, and for good if it panicked
}

// A Log records the requests that arrived at a Handler. Its zero value is empty. It grows by one Arrival per
// request until Reset. A Log is safe for concurrent use.
type Log struct {
	mu       sync.Mutex
	arrivals []*Arrival // guarded by mu, and so is each Arrival
}

// Arrivals returns a copy of the log, in the order of arrival.
func (l *Log) Arrivals() Arrivals {
	l.mu.Lock()
	all := make(Arrivals, len(l.arrivals))
	for i, a := range l.arrivals {
		all[i] = *a
	}
	l.mu.Unlock()
	// Concurrent requests may read the clock in one order and lock the log in another.
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
