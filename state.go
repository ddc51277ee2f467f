package headway

import (
	"slices"
	"strings"
	"time"

	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/internal/gate"
	"github.com/headway-go/headway/internal/snapshot"
	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
)

// A PartitionState is a snapshot of what a Transport knows and plans for one partition. It is a copy, for people and
// metrics.
type PartitionState struct {
	// Partition is the partition's name, as in LimitError.
	Partition string

	// Restored says that Restore has restored the partition, and no request has used it yet. Partition is "restored:" and
	// some hex digits then, as a snapshot has no real names. Forget does not know such a name.
	Restored bool

	// Waiting is the number of requests in the queue, including those that wait for the Ceiling. InFlight is the number of
	// requests that were sent and are not over.
	Waiting, InFlight int

	// Places is how many requests may be in flight at once: because the server is new, is overloaded, or advertises such a
	// limit. −1 means not bounded.
	Places int

	// WaitingSince is when the oldest request in the queue was made; zero if the queue is empty.
	WaitingSince time.Time

	// Pace is how many requests per second may go now, if they use every limit as usual requests do. 0 means that no pace
	// is known.
	Pace float64

	// Trial is the pace in requests per second that was found by trial, where limits do not explain refusals. 0 means that
	// no trial was needed.
	Trial float64

	// Sending is how many requests per second this client sends, resends included. It is an exponential average with a time
	// constant of a minute.
	Sending float64

	// Next is when the first request in the queue starts by the present plan. It is zero if the queue is empty, or if the
	// start depends on a request in flight. Cause is what that request waits for, "" if the queue is empty. Policy is the
	// server's name for the policy that it waits for, "" if there is none.
	Next   time.Time
	Cause  Cause
	Policy string

	// Last is when the last request in the queue starts, as far as is known now; zero like Next.
	Last time.Time

	// Thousand is how long 1,000 requests would take until the last of them goes, behind those that wait: a [Forecast] for
	// usual requests of the first route. 0 means that they go at once, or that nobody knows.
	Thousand time.Duration

	// HeldUntil is the end of the hold on the partition; zero if there is none. During a hold nothing is sent, except a
	// request of a new route that finds out whether the hold applies to it. During a hold of more than a minute without
	// Retry-After, a request now and then checks the reset.
	HeldUntil time.Time

	// LastThrottled is when a response last refused a request because of a limit, or was taken for a refusal; zero if none
	// did.
	LastThrottled time.Time

	// Final is the Sign of the last response that refused a request for good, see ThrottledInfo; "status" if it had none. It
	// is "" if there was none, or if the partition has served a request since. Requests go on as the pace allows: nobody
	// knows when an account is paid for.
	Final string

	// Members is the number of processes in the Transport's Fleet that share the partition's quotas, this one included. It
	// is 0 if it is not known, or not known recently.
	Members int

	// FleetFault is what is wrong with the Transport's Fleet, in words, as the last FleetInfo says; "" if nothing is.
	FleetFault string

	// Limits are the quotas per time that the server has reported, one for each policy and partition key.
	Limits []LimitState
}

// A LimitState says what is known of one limit. Name and numbers, such as Quota and Remaining, are fields of
// [limits.Known].
type LimitState struct {
	limits.Known

	ReportedAt time.Time // when the server last reported the remaining quota; zero if it never did
	HeldUntil  time.Time // the end of the limit's own hold; zero if it has none
	LatestEnd  time.Time // the latest end of the current window; zero if not known
}

// State returns the state of all partitions, ordered by name, and of up to 100 that [Transport.Restore] has restored. It
// changes nothing. It is safe for concurrent use. Each partition is read at a slightly different moment.
func (t *Transport) State() []PartitionState {
	t.once.Do(t.start)
	var states []PartitionState
	for _, p := range t.core.partitions.All() {
		known := p.State()
		states = append(states, partitionState(&t.core.settings.Clock, p.Name(), &known))
		states[len(states)-1].FleetFault = t.core.member.Fault()
	}
	for name, known := range t.core.shelf.Restored() {
		s := partitionState(&t.core.settings.Clock, name, &known)
		s.Restored = true
		states = append(states, s)
	}
	slices.SortFunc(states, func(a, b PartitionState) int { return strings.Compare(a.Partition, b.Partition) })
	return states
}

// Forget drops all that was learned of the partition with that name (see [LimitError] and [DefaultPartition]), including its
// holds. Use it if a server has reported something wrong, or if the limits of an account have changed. Waiting requests get a
// new plan. Responses to requests in flight count as usual. Forget reports whether there is such a partition. It is safe for
// concurrent use.
func (t *Transport) Forget(partition string) bool {
	t.once.Do(t.start)
	isFound := false
	for _, p := range t.core.partitions.All() {
		if p.Name() == partition || p.Key().String() == partition {
			p.Forget()
			isFound = true
		}
	}
	return isFound
}

func partitionState(c *clock.Clock, name string, known *gate.State) PartitionState {
	s := PartitionState{
		Partition: name,
		Waiting:   known.Waiting, InFlight: int(known.InFlight), Places: int(known.Places),
		Sending: known.Sending, Pace: known.Pace, Trial: known.Trial,
		WaitingSince: c.TimeOrZero(known.Oldest), LastThrottled: c.TimeOrZero(known.Throttled), Final: known.Final,
		Members: known.Members, Thousand: known.Thousand,
	}
	if known.Next != nil {
		s.Cause, s.Policy = known.Next.Cause, known.Next.Policy
		s.Next, _ = publish(c, known.Next)
	}
	if known.Last < pacer.Never {
		s.Last = c.TimeOrZero(known.Last)
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
	s := LimitState{Known: l.Known, ReportedAt: c.TimeOrZero(l.ReportedAt)}
	if l.LatestEnd > now {
		s.LatestEnd = c.Time(l.LatestEnd)
	}
	if l.HeldUntil > now {
		s.HeldUntil = c.Time(l.HeldUntil)
	}
	return s
}

// The errors of [Transport.Snapshot] and [Transport.Restore]. They may be wrapped, so find them with [errors.Is].
var (
	// ErrSnapshotKey means that SnapshotKey is not set or has fewer than 16 bytes.
	ErrSnapshotKey = snapshot.ErrKey
	// ErrSnapshot means that Restore cannot use the data. The text says why: another version or another SnapshotKey made
	// it, it is damaged, or it is more than a day old or from more than a day in the future.
	ErrSnapshot = snapshot.ErrUnusable
)

// Snapshot returns what the Transport has learned, for [Transport.Restore] in a later run of the program: limits, remaining
// quotas, holds and paces, but not which limits apply to which routes. A program that lives for seconds can then begin
// where its last run stopped. Requests in flight count as sent.
//
// The data is sealed with SnapshotKey and can be stored in a file. Restore refuses a file that was written only in part.
// The data holds no credentials and no part of any URL: only the same SnapshotKey can make the names of its partitions.
// Names that servers gave to policies, partition keys and quota units are readable in it.
//
// What was restored and not used yet is included, for up to a day, so that runs that use different servers keep each
// other's knowledge. Beyond 10,000 partitions those used longest ago are left out.
//
// Snapshot is safe for concurrent use and delays no request. Each partition is read at a slightly different moment. Errors:
// ErrSnapshotKey.
func (t *Transport) Snapshot() ([]byte, error) {
	t.once.Do(t.start)
	return t.core.shelf.Seal(t.core.partitions.All)
}

// Restore takes over a snapshot of this program, or of another one with the same SnapshotKey. Call it before the first
// request. Partitions that requests have already used keep what they know, which is newer. What is restored for others
// waits for their first request, and [Transport.State] shows it until then. A second Restore replaces what is still waiting
// for the same partitions.
//
// The time between Snapshot and Restore counts, by the machine's clock: windows have ended, and short holds too. No reset
// or hold is longer than Bounds.MaxReset.
//
// After an error nothing has changed, and the Transport works as if Restore had not been called. Any data is safe to pass.
// Restore is safe for concurrent use. Errors: ErrSnapshotKey, ErrSnapshot.
func (t *Transport) Restore(data []byte) error {
	t.once.Do(t.start)
	return t.core.shelf.Open(data, t.core.partitions.All)
}
