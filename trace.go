package headway

import (
	"context"
	"reflect"
	"slices"
	"time"

	"github.com/headway-go/headway/internal/gate"
	"github.com/headway-go/headway/pacer"
	"github.com/headway-go/headway/validate"
)

// A Trace is a set of hooks that a Transport calls as it decides, in the manner of net/http/httptrace. Any hook may be nil.
//
// A hook is called on the goroutine that called RoundTrip, with the request's context; for a trailer, on the goroutine that
// reads the body to its end. No lock is held, so a hook may use the Transport. Many goroutines may call a hook at once. A
// hook that blocks delays its request, and requests that wait for that one's place in flight. A hook may keep its
// arguments, but must not change them.
//
// The arguments hold no credentials, URLs or header values as they were sent, but only what was read from them. Partitions
// and policies have the names that [Transport.State] shows. In a [Transport.Shadow], Waiting, Refused and Throttled report
// what would be done, without resends, and the other hooks report what happens. No hook is called for a request that is not
// paced, or that a Transport above paces.
//
// Each sending is followed by one Throttled, or by a response or an error from RoundTrip. Each Waiting is followed by Sent,
// Resent, Refused, Abandoned, or another Waiting.
type Trace struct {
	// Reading: a response has reported a limit or asked to wait, or has a header field that is ignored or clamped.
	Reading func(context.Context, ReadingInfo)

	// Waiting: the request begins to wait. The info has the plan of that moment; later events move the start. What it has
	// waited for in the end is in SentInfo.
	Waiting func(context.Context, WaitingInfo)

	// Sent: the request goes to Base for the first time.
	Sent func(context.Context, SentInfo)

	// Resent: the request goes to Base again, after it was throttled.
	Resent func(context.Context, SentInfo)

	// Throttled: a response has refused the request because of a limit.
	Throttled func(context.Context, ThrottledInfo)

	// Refused: the Transport does not send the request, because it would wait too long. RoundTrip returns this error or,
	// with RefuseWithResponse, a response from which Refused returns it. The hook is not called for a request that was sent
	// before and cannot be resent in time: for that RoundTrip returns the throttled response.
	Refused func(context.Context, *LimitError)

	// Abandoned: the request has waited and is not sent. Either its context has ended, or it was sent before and cannot be
	// resent in time.
	Abandoned func(context.Context, SentInfo)

	// Evicted: the Transport forgets a partition. The hook is called on a timer's goroutine, or on that of the request that
	// needed the room.
	Evicted func(EvictedInfo)

	// Fleet: the store of the Transport's Fleet has become unreachable, or reachable again, or something else is wrong with
	// the Fleet. The hook is called again every ten minutes while that lasts, and at most once a minute if it comes and
	// goes. It is called on a goroutine of the Fleet, which waits for it. So the hook must not close the Fleet.
	Fleet func(FleetInfo)
}

// A Cause says what a request waits for.
type Cause = pacer.Cause

// The causes of waits. Logs and metrics have these words.
const (
	CauseHold    = pacer.CauseHold   // "hold": a hold, which a refusal set on the partition or on a policy
	CauseQuota   = pacer.CauseQuota  // "quota": the remaining quota is not enough for the request
	CausePace    = pacer.CausePace   // "pace": its turn at the pace over the remaining quota
	CauseTrial   = pacer.CauseTrial  // "trial": its turn at a pace found by trial, since the server does not report its limits
	CauseStart   = pacer.CauseStart  // "start": the first response: from a server, from a route, or after a hold
	CausePlaces  = pacer.CausePlaces // "places": the end of a request in flight, since no more may be in flight at once
	CauseQueue   = gate.CauseQueue   // "queue": requests ahead in the queue
	CauseCeiling = gate.CauseCeiling // "ceiling": a token of Transport.Ceiling
)

// A ReadingInfo says what a response reported about limits.
type ReadingInfo struct {
	Partition string // its name, as in LimitError
	Status    int    // of the response
	Trailer   bool   // it is the response's trailer section that reported, after the body

	// Reading is what the fields mean, with what Transport.Limits has read. Its Problems say which fields are ignored or
	// clamped, and why.
	Reading validate.Reading
}

// A WaitingInfo says what a request waits for, and how long.
type WaitingInfo struct {
	Partition string // its name, as in LimitError
	Policy    string // the server's name for the policy that it waits for; "" if there is none or it has no name
	Cause     Cause

	// Until is when the request starts by the present plan, and Wait the time until then. Both are zero if that is not
	// known, since the request waits for another one to end.
	Until time.Time
	Wait  time.Duration

	// Queue is the number of requests that wait in the partition, this one included. It is 0 if the request waits for the
	// Ceiling, which all partitions share.
	Queue int

	Resend bool // the request was sent before, and throttled
}

// A SentInfo is about a request that is sent, or that gave up waiting.
type SentInfo struct {
	Partition string        // its name, as in LimitError
	Held      time.Duration // how long the Transport has delayed it in all; some microseconds if it did not wait
	Waited    time.Duration // the part of Held since RoundTrip was called, or since the last response to it
	Resends   int           // how often it was sent before
	Cause     Cause         // what it waited for last, since RoundTrip was called or since the last response to it; "" if it did not wait
	Policy    string        // the server's name for the policy of that; "" if there is none or it has no name
}

// A ThrottledInfo is about a response that refuses a request because of a limit, or is taken for a refusal.
type ThrottledInfo struct {
	Partition string // its name, as in LimitError
	Status    int    // of the response
	Sign      string // what Verdict follows from, as in validate.Reading

	// Verdict says whether waiting helps. VerdictNever means that the response is returned as it is, and holds nothing.
	Verdict validate.Verdict

	// Policies are the names of the policies that the response says are violated; nil if it does not say.
	Policies []string

	// HeldUntil is the end of the hold that this response set or lengthened, and Hold the time until then. Both are zero if
	// an earlier response had already set a hold as long.
	HeldUntil time.Time
	Hold      time.Duration

	// IsNews says that the hold is new, or at least twice as long as before. Each response of a round of refusals may
	// lengthen the hold a little, which is no news. With VerdictNever it says that the partition has served a request since
	// the last such response, or had none.
	IsNews bool

	// Resend says that the request will be resent, unless it turns out that this would be too late. If Resend is false,
	// RoundTrip returns the response.
	Resend bool
}

// An EvictedInfo is about a partition that the Transport forgets.
type EvictedInfo struct {
	Partition string        // its name, as in LimitError
	Idle      time.Duration // the time since its last use
	Full      bool          // true: another partition needed the room; false: nothing it knew was of use any more
}

// A FleetInfo is about a Fleet and its store.
type FleetInfo struct {
	// Err is what is wrong; nil if the store can be reached again.
	Err error

	// Lost says that Err is why the store cannot be reached. Without the store the Transport keeps its last parts of the
	// quotas for some seconds, and then estimates the use of other clients. Otherwise processes share quotas, but not all of
	// them or not in time, as Err says.
	Lost bool
}

// JoinTraces returns a Trace whose hooks call the hooks of all traces, in order. Nil traces and nil hooks are left out. A
// single trace is returned itself; without any, the result is nil. Hooks set later in the given traces are not called.
func JoinTraces(traces ...*Trace) *Trace {
	traces = slices.DeleteFunc(slices.Clone(traces), func(t *Trace) bool { return t == nil })
	switch len(traces) {
	case 0:
		return nil
	case 1:
		return traces[0]
	}
	joined := new(Trace)
	for field, hook := range reflect.ValueOf(joined).Elem().Fields() {
		var all []reflect.Value
		for _, t := range traces {
			if one := reflect.ValueOf(t).Elem().FieldByIndex(field.Index); !one.IsNil() {
				all = append(all, one)
			}
		}
		switch len(all) {
		case 0:
		case 1:
			hook.Set(all[0])
		default:
			hook.Set(reflect.MakeFunc(hook.Type(), func(args []reflect.Value) []reflect.Value {
				for _, one := range all {
					one.Call(args)
				}
				return nil
			}))
		}
	}
	return joined
}
