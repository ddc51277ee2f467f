package main

import (
	"fmt"
	"sync"
	"time"
	"unsafe"
)

// An outcome is what became of a request from the client's point of view.
type outcome string

const (
	served    outcome = "served"    // with the whole body, or closed unread
	throttled outcome = "throttled" // a response of the server's that refuses it
	refused   outcome = "refused"   // by headway: never sent
	cancelled outcome = "cancelled" // or out of time
	failed    outcome = "failed"    // the connection was lost before there was a response
	cut       outcome = "cut"       // the connection was lost in mid-body
)

// A record is all that happened to one request.
type record struct {
	plan
	party         *party
	called, ended time.Time
	outcome       outcome
	err           error
	forced        bool // it was cancelled because the run ends

	running     int // handlers that have not returned
	faulted     bool
	throttled   int // arrivals, by what the server did
	unavailable int
	processed   int
	unprocessed int   // dropped, or the client went away
	lost        int   // arrivals whose connection the server cut
	first, last int64 // the server's generation when it was first and last processed
}

// A ledger has the records of all requests until they are settled.
type ledger struct {
	outage func(from, to time.Time) bool // was a server down between?

	mu         sync.Mutex
	records    map[uint64]*record
	settled    int
	outcomes   map[string]map[outcome]int // by party
	arrivals   map[string]int             // by what the server did
	faults     map[fault]int
	violations []string
	violated   int
}

// after settleAfter nothing may happen to a request that is over.
const (
	settleAfter   = 5 * time.Second
	longestCall   = 2 * time.Minute
	keepViolation = 50
)

func newLedger(outage func(from, to time.Time) bool) *ledger {
	return &ledger{
		outage: outage, records: make(map[uint64]*record), outcomes: make(map[string]map[outcome]int),
		arrivals: make(map[string]int), faults: make(map[fault]int),
	}
}

// call notes that a request is made.
func (l *ledger) call(p *plan, by *party) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.records[p.id] = &record{plan: *p, party: by, called: time.Now()}
}

// end notes what became of it.
func (l *ledger) end(id uint64, o outcome, err error, forced bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.records[id]
	if r.outcome != "" {
		l.violate("request %d has two outcomes: %s and %s", id, r.outcome, o)
	}
	r.outcome, r.err, r.forced, r.ended = o, err, forced, time.Now()
	if l.outcomes[r.party.name] == nil {
		l.outcomes[r.party.name] = make(map[outcome]int)
	}
	l.outcomes[r.party.name][o]++
}

// wrong notes something else that may not be.
func (l *ledger) wrong(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.violate(format, args...)
}

func (l *ledger) violate(format string, args ...any) {
	l.violated++
	if len(l.violations) < keepViolation {
		l.violations = append(l.violations, fmt.Sprintf(format, args...))
	}
}

// settle checks and forgets the requests that were over by then.
func (l *ledger) settle(now, by time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, r := range l.records {
		switch {
		case r.outcome == "" && now.Sub(r.called) > longestCall:
			l.violate("%v has no outcome after %v", r, longestCall)
		case r.outcome != "" && !r.ended.After(by):
			for _, why := range r.check(l.outage) {
				l.violate("%v: %s", r, why)
			}
		default:
			continue
		}
		l.settled++
		delete(l.records, id)
	}
}

// finish settles all, when nothing is left that could still happen.
func (l *ledger) finish() {
	l.settle(time.Now(), time.Now())
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.records {
		l.violate("%v has no outcome", r)
	}
}

// size estimates the KiB that the records take which are not settled yet. Their number
// follows the load, and is no sign of growth.
func (l *ledger) size() float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	const entry = 16 // of the map
	return float64(len(l.records)) * float64(unsafe.Sizeof(record{})+entry) / 1024
}

func (l *ledger) count(o outcome) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, of := range l.outcomes {
		n += of[o]
	}
	return n
}

func (r *record) String() string {
	s := fmt.Sprintf("request %d (%s of %s, %s", r.id, r.method, r.party.name, r.outcome)
	if r.fault != noFault {
		s += ", " + string(r.fault)
	}
	if r.err != nil {
		s += ": " + r.err.Error()
	}
	return s + ")"
}
