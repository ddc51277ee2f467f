package headway

import "context"

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
