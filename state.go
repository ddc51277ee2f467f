package headway

import (
	"slices"
	"strings"
	"time"

	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/internal/schedule"
	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
)

// A PartitionState is what a Transport knows and plans for one partition at one
// moment. It is a copy, for people and metrics; no request depends on it.
type PartitionState struct {
	// Partition is the partition's name, as in LimitError.
	Partition string

	// Waiting is the number of requests in the queue, or let go and waiting for the
	// Ceiling; InFlight of those sent and not over.
	Waiting, InFlight int

	// Places is how many may be in flight as long as answers come: because the server
	// is not known yet, is overloaded, or advertises so. −1: not bounded.
	Places int

	// WaitingSince is when the request was made that has waited longest in the queue; zero
	// if none is there.
	WaitingSince time.Time

	// Pace is how many requests per second may go now that use each limit
	// as usual requests do; 0 if no pace is known.
	Pace float64

	// Trial is how many requests per second the server allows, as found by trial between
	// refusals that its limits do not explain; 0 if there was no need to find out.
	Trial float64

	// Sending is how many requests per second this client sends, resends included: an
	// average that is exponential, 63 % of which is forgotten in a minute.
	Sending float64

	// Next is when the first request in the queue is to start, as planned now; zero if none
	// is there, or if that depends on a request in flight. Cause is why it waits, "" if
	// none does, and Policy the server's name for the policy that it waits for, "" if none.
	Next   time.Time
	Cause  Cause
	Policy string

	// HeldUntil is the time before which nothing may be sent, but for a request of a
	// new route that finds out whether the hold is about it; zero if there is no hold.
	HeldUntil time.Time

	// LastThrottled is when a response last refused a request because of a limit, or was taken to;
	// zero if none did.
	LastThrottled time.Time

	// Members is how many members the Transport's Fleet has that share the partition's
	// quotas, this one included; 0 if none was told, or it is too long ago.
	Members int

	// Limits are what the server has told of quotas per time, one for each
	// policy and partition key.
	Limits []LimitState
}

// A LimitState is what is known of one limit. Its numbers and its name are fields of
// limits.Believed, such as Quota and Remaining.
type LimitState struct {
	limits.Believed

	Told      time.Time // when the server last told what remains; zero if it never did
	HeldUntil time.Time // before it nothing that uses this limit may be sent; zero if it has no hold of its own
	EndsBy    time.Time // the latest that the open window can end; zero if not known
}

// State returns the state of all partitions, ordered by name. It changes nothing, and is safe for
// concurrent use; each partition is shown as of a slightly different moment.
func (t *Transport) State() []PartitionState {
	t.once.Do(t.start)
	var states []PartitionState
	for _, p := range t.core.partitions.All() {
		states = append(states, partitionState(&t.core.settings.Clock, p))
	}
	slices.SortFunc(states, func(a, b PartitionState) int { return strings.Compare(a.Partition, b.Partition) })
	return states
}

// Forget drops all that was learned of the partition with that name (see [LimitError]), its holds included, as if
// nothing had been sent before: for a server that told something wrong, or an account whose limits are others now.
// Requests that wait are planned anew; what those in flight will be answered counts. It reports whether there is such a
// partition. It is safe for concurrent use.
func (t *Transport) Forget(partition string) bool {
	t.once.Do(t.start)
	isFound := false
	for _, p := range t.core.partitions.All() {
		if p.Key().String() == partition {
			p.Forget()
			isFound = true
		}
	}
	return isFound
}

func partitionState(c *clock.Clock, p *schedule.Partition) PartitionState {
	known := p.State()
	s := PartitionState{
		Partition: p.Key().String(),
		Waiting:   known.Waiting, InFlight: int(known.InFlight), Places: int(known.Places),
		Sending: known.Sending, Pace: known.Pace, Trial: known.Trial,
		WaitingSince: c.TimeOrZero(known.Oldest), LastThrottled: c.TimeOrZero(known.Throttled),
		Members: known.Members,
	}
	if known.IsWaiting {
		s.Cause, s.Policy = causeOf(schedule.Delay{Plan: known.Next}), known.Next.Policy
		if known.Next.At < pacer.Never {
			s.Next = c.Time(known.Next.At)
		}
	}
	if known.HeldUntil > known.Now {
		s.HeldUntil = c.Time(known.HeldUntil)
	}
	for i := range known.Limits {
		s.Limits = append(s.Limits, limitState(c, known.Now, &known.Limits[i]))
	}
	return s
}

func limitState(c *clock.Clock, now pacer.Instant, l *pacer.LimitState) LimitState {
	s := LimitState{Believed: l.Believed, Told: c.TimeOrZero(l.ToldAt)}
	if l.EndsBy > now {
		s.EndsBy = c.Time(l.EndsBy)
	}
	if l.HeldUntil > now {
		s.HeldUntil = c.Time(l.HeldUntil)
	}
	return s
}
