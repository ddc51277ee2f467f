package main

import (
	"fmt"
	"sync"
	"time"
)

// An outcome is the result of a request for the client.
type outcome string

const (
	served    outcome = "served"    // with the whole body, or closed unread
	throttled outcome = "throttled" // refused by a response of the server
	refused   outcome = "refused"   // refused by headway, and never sent
	cancelled outcome = "cancelled" // or past its deadline
	failed    outcome = "failed"    // the connection was lost before a response
	cut       outcome = "cut"       // the connection was lost during the body
)

// A record is the history of one request.
type record struct {
	plan
	party         *party
	called, ended time.Time
	outcome       outcome
	err           error
	forced        bool // the request was cancelled because the run ends

	running     int // handlers that have not returned
	faulted     bool
	throttled   int // arrivals, by what the server did
	unavailable int
	processed   int
	unprocessed int   // dropped, or the client went away
	lost        int   // arrivals whose connection the server cut
	first, last int64 // the server's generation when it first and last processed the request
}

// A ledger holds the records of all requests until they are settled.
type ledger struct {
	outage func(of *party, from, to time.Time) bool // reports whether the party's server was down between two times

	mu         sync.Mutex
	records    map[uint64]*record
	settled    int
	outcomes   map[string]map[outcome]int // by party
	arrivals   map[string]int             // by what the server did
	faults     map[fault]int
	violations []string       // the first few of each kind
	kinds      map[string]int // their number, by their text
}

// keepOfKind is how many violations of a kind are printed.
const keepOfKind = 50

func newLedger(outage func(of *party, from, to time.Time) bool) *ledger {
	return &ledger{
		outage: outage, records: make(map[uint64]*record), outcomes: make(map[string]map[outcome]int),
		arrivals: make(map[string]int), faults: make(map[fault]int), kinds: make(map[string]int),
	}
}

// call records that a request is made.
func (l *ledger) call(p *plan, from *party) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.records[p.id] = &record{plan: *p, party: from, called: time.Now()}
}

// end records the request's outcome.
func (l *ledger) end(id uint64, o outcome, err error, forced bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.records[id]
	if r.outcome != "" {
		l.violateLocked("request %d has two outcomes: %s and %s", id, r.outcome, o)
	}
	r.outcome, r.err, r.forced, r.ended = o, err, forced, time.Now()
	if l.outcomes[r.party.name] == nil {
		l.outcomes[r.party.name] = make(map[outcome]int)
	}
	l.outcomes[r.party.name][o]++
}

// violate records a violation.
func (l *ledger) violate(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.violateLocked(format, args...)
}

func (l *ledger) violateLocked(format string, args ...any) {
	l.keep(format, fmt.Sprintf(format, args...))
}

// keep counts a violation, and keeps its text if it is one of the first of its kind.
func (l *ledger) keep(kind, violation string) {
	l.kinds[kind]++
	if l.kinds[kind] <= keepOfKind {
		l.violations = append(l.violations, violation)
	}
}

// violated returns the number of violations.
func (l *ledger) violated() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, of := range l.kinds {
		n += of
	}
	return n
}

// settle checks and drops all records. No request may be in flight.
func (l *ledger) settle() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.records {
		for _, why := range r.check(l.outage) {
			l.keep(why, fmt.Sprintf("%v: %s", r, why))
		}
		l.settled++
	}
	clear(l.records)
}

// running returns the number of handlers that have not returned.
func (l *ledger) running() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.records {
		n += r.running
	}
	return n
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
