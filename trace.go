package headway

import (
	"context"
	"time"

	"github.com/headway-go/headway/validate"
)

// A Trace is a set of hooks that a Transport calls as it decides, in the manner of
// net/http/httptrace. Any of them may be nil.
//
// A hook is called on the goroutine that called RoundTrip, with the request's context and
// without any lock held, so it may use the Transport. It may be called from many
// goroutines at once. The request goes on when the hook returns: one that blocks keeps
// up this request, and those that wait for its place where places in flight are bounded
// (see PartitionState.Places). What a hook is given it may keep, but not change.
//
// Hooks are told no credentials, URLs or fields as they were sent, but what was read from
// them; names of partitions and policies are those of [Transport.State]. Of a
// [Transport.Shadow], Waiting, Refused and Throttled tell what would be done, without a
// resend, and the others what is. Requests that are not paced, or that another Transport
// above this one paces, are not told of.
//
// Each sending ends in one Throttled, or in a response or an error that RoundTrip
// returns; each Waiting in Sent, Resent or Refused, in another Waiting, or in Abandoned.
type Trace struct {
	// Reading: a response has told something about limits or asked to wait.
	Reading func(context.Context, ReadingInfo)

	// Waiting: the request is kept from the wire. It is told as it begins to wait, as
	// planned then; what others do, and what is learned meanwhile, moves its start. It is not
	// in the queue yet, unless it was sent before, so State does not count it.
	Waiting func(context.Context, WaitingInfo)

	// Sent: the request is handed to Base, for the first time.
	Sent func(context.Context, SentInfo)

	// Resent: the request is handed to Base again, after it was throttled.
	Resent func(context.Context, SentInfo)

	// Throttled: a response has refused the request because of a limit, or is one of so many
	// 503s without a reason that they are taken for that.
	Throttled func(context.Context, ThrottledInfo)

	// Refused: the Transport does not send the request, because it would have to wait
	// too long. It is what RoundTrip returns or, by RefuseWithResponse, Refused finds. If the
	// request was sent before and cannot be sent again in time, this is not
	// called: RoundTrip returns the throttled response then.
	Refused func(context.Context, *LimitError)

	// Abandoned: the request has waited and is not sent, because its context has ended or,
	// if it was sent before, because it turned out that it cannot be sent again in time.
	Abandoned func(context.Context, SentInfo)

	// Ignored: a header field of a response is ignored or clamped. It is told of each
	// response that has the field.
	Ignored func(context.Context, IgnoredInfo)

	// Evicted: what was known of a partition is forgotten. It is called on the goroutine
	// of whichever request needed the room, or of a timer.
	Evicted func(EvictedInfo)

	// Fleet: the store of the Transport's Fleet cannot be reached any more, or again. It is
	// called on a goroutine of the Fleet, which waits for it, so it must not close the Fleet.
	Fleet func(FleetInfo)
}

// A Cause is why a request waits.
type Cause string

// The causes of waits.
const (
	CauseHold    Cause = "hold"    // a refusal holds the partition or the policy, after which clients come back spread
	CauseQuota   Cause = "quota"   // what is left of a quota is not enough for the request
	CausePace    Cause = "pace"    // the pace at which what is left of a quota is spread
	CauseTrial   Cause = "trial"   // the pace that was found by trial, because the server does not tell its limits
	CauseStart   Cause = "start"   // the first answer is awaited: of a server, of a route, or after a hold
	CausePlaces  Cause = "places"  // as many requests are in flight as may be
	CauseQueue   Cause = "queue"   // others that wait go first
	CauseCeiling Cause = "ceiling" // the Transport's own Ceiling
)

// A ReadingInfo is what a response told.
type ReadingInfo struct {
	Partition string // its name, as in LimitError
	Status    int    // of the response

	// Reading is what was made of its header fields. Its Problems are told to Ignored.
	Reading validate.Reading
}

// A WaitingInfo says why a request waits, and for how long.
type WaitingInfo struct {
	Partition string // its name, as in LimitError
	Policy    string // the server's name for the policy that it waits for; "" if none, or it has no name
	Cause     Cause

	// Until is when the request is to start, as planned now, Wait the time until then.
	// Both are zero if that is not known: it depends on when another request ends.
	Until time.Time
	Wait  time.Duration

	// Queue is the number of requests that wait in the partition, this one included; 0 if
	// it waits for the Ceiling, which is of all partitions.
	Queue int

	// Age is how long ago the server told what is left of that policy; negative if it
	// never did, or the wait has another cause.
	Age time.Duration

	Resend bool // it was sent before, and throttled
}

// A SentInfo is about a request that goes to the wire, or has given up to wait for that.
type SentInfo struct {
	Partition string        // its name, as in LimitError
	Held      time.Duration // how long the Transport has kept it from the wire, in all; some microseconds if it did not wait
	Waited    time.Duration // the part of Held since RoundTrip was called, or since the last response to it
	Resends   int           // how often it has been sent before
}

// A ThrottledInfo is about a response that refuses a request because of a limit, or is taken to.
type ThrottledInfo struct {
	Partition string // its name, as in LimitError
	Status    int    // of the response

	// Policies are those that the response names as violated, by their names; nil if it
	// does not say.
	Policies []string

	// HeldUntil is when the hold ends that this response set or lengthened, Hold the
	// time until then. Both are zero if it did neither: another one had done so before.
	HeldUntil time.Time
	Hold      time.Duration

	// IsNews says that the hold is new, or at least twice as long as the one before: each answer of a round of
	// refusals may lengthen it a little.
	IsNews bool

	// Resend says that the request is going to be sent again, unless it turns out
	// that this would be too late. If not, RoundTrip returns the response.
	Resend bool
}

// An IgnoredInfo is about a header field that is ignored or clamped.
type IgnoredInfo struct {
	Partition string            // its name, as in LimitError
	Problem   *validate.Problem // which field, and why; without its value
}

// An EvictedInfo is about a partition that is forgotten.
type EvictedInfo struct {
	Partition string        // its name, as in LimitError
	Idle      time.Duration // how long ago it was used
	Full      bool          // another needed the room; false: nothing that it knew was of use any more
}

// A FleetInfo is about the store that a Fleet has.
type FleetInfo struct {
	// Err is why the store cannot be reached: the Transport goes on with the parts it was told
	// last, and after some seconds by what it sees of others' use. nil: it is reached again.
	Err error
}

// JoinTraces returns a Trace whose hooks call those of all traces, in their order. It goes by
// the hooks that these have now; nil ones are left out. If there is but one, it is returned as it is; if there is none, nil.
func JoinTraces(traces ...*Trace) *Trace {
	var joined *Trace
	for _, next := range traces {
		switch {
		case next == nil:
		case joined == nil:
			joined = next
		default:
			joined = joined.then(next)
		}
	}
	return joined
}

func (t *Trace) then(next *Trace) *Trace {
	return &Trace{
		Reading:   both(t.Reading, next.Reading),
		Waiting:   both(t.Waiting, next.Waiting),
		Sent:      both(t.Sent, next.Sent),
		Resent:    both(t.Resent, next.Resent),
		Throttled: both(t.Throttled, next.Throttled),
		Refused:   both(t.Refused, next.Refused),
		Abandoned: both(t.Abandoned, next.Abandoned),
		Ignored:   both(t.Ignored, next.Ignored),
		Evicted:   bothOfNone(t.Evicted, next.Evicted),
		Fleet:     bothOfNone(t.Fleet, next.Fleet),
	}
}

func both[Info any](first, second func(context.Context, Info)) func(context.Context, Info) {
	switch {
	case first == nil:
		return second
	case second == nil:
		return first
	}
	return func(ctx context.Context, info Info) {
		first(ctx, info)
		second(ctx, info)
	}
}

// bothOfNone is both for a hook that belongs to no request.
func bothOfNone[Info any](first, second func(Info)) func(Info) {
	switch {
	case first == nil:
		return second
	case second == nil:
		return first
	}
	return func(info Info) {
		first(info)
		second(info)
	}
}
