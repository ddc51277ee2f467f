package otelheadway

import (
	"context"
	"errors"
	"sync/atomic"

	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/validate"
)

// A source is a Transport that events come from.
type source struct {
	*group

	removed atomic.Bool
}

// series returns that of a partition, nil if it is left out or nothing is told any more.
func (f *source) series(partition string) *series {
	if f.removed.Load() {
		return nil
	}
	return f.group.series(partition)
}

// trace returns hooks that call the user's, which may be nil, and then count.
func (f *source) trace(user *headway.Trace) *headway.Trace {
	var trace headway.Trace
	if user != nil {
		trace = *user
	}
	trace.Waiting = both(trace.Waiting, f.waiting)
	trace.Sent = both(trace.Sent, f.sent)
	trace.Resent = both(trace.Resent, f.resent)
	trace.Throttled = both(trace.Throttled, f.throttled)
	trace.Refused = both(trace.Refused, f.refused)
	trace.Abandoned = both(trace.Abandoned, f.abandoned)
	trace.Ignored = both(trace.Ignored, f.ignored)
	evicted := trace.Evicted
	trace.Evicted = func(info headway.EvictedInfo) {
		if evicted != nil {
			evicted(info)
		}
		f.evicted(info)
	}
	return &trace
}

// both returns a hook that calls one after the other. The first may be nil.
func both[Info any](first, then func(context.Context, Info)) func(context.Context, Info) {
	if first == nil {
		return then
	}
	return func(ctx context.Context, info Info) {
		first(ctx, info)
		then(ctx, info)
	}
}

func (f *source) waiting(ctx context.Context, info headway.WaitingInfo) {
	if s := f.series(info.Partition); s != nil {
		f.instruments.waits.Add(ctx, 1, s.with(causeKey.String(string(info.Cause))))
	}
}

func (f *source) sent(ctx context.Context, info headway.SentInfo) {
	if s := f.series(info.Partition); s != nil {
		f.instruments.sent.Add(ctx, 1, s.sent...)
		f.instruments.held.Record(ctx, info.Held.Seconds(), s.held...)
	}
}

func (f *source) resent(ctx context.Context, info headway.SentInfo) {
	if s := f.series(info.Partition); s != nil {
		f.instruments.resent.Add(ctx, 1, s.all)
		f.instruments.held.Record(ctx, info.Held.Seconds(), s.with(outcomeKey.String(outcomeResent)))
	}
}

func (f *source) abandoned(ctx context.Context, info headway.SentInfo) {
	if s := f.series(info.Partition); s != nil {
		f.instruments.abandoned.Add(ctx, 1, s.all)
		f.instruments.held.Record(ctx, info.Held.Seconds(), s.with(outcomeKey.String(outcomeAbandoned)))
	}
}

func (f *source) throttled(ctx context.Context, info headway.ThrottledInfo) {
	if s := f.series(info.Partition); s != nil {
		f.instruments.throttled.Add(ctx, 1, s.with(semconv.HTTPResponseStatusCode(info.Status)))
	}
}

func (f *source) refused(ctx context.Context, err *headway.LimitError) {
	if s := f.series(err.Partition); s != nil {
		attrs := append(s.policy(err.Policy), semconv.ErrorTypeKey.String(refusalReason(err)))
		f.instruments.refused.Add(ctx, 1, s.with(attrs...))
	}
}

func (f *source) ignored(ctx context.Context, info headway.IgnoredInfo) {
	if s := f.series(info.Partition); s != nil {
		f.instruments.ignored.Add(ctx, 1, s.with(reasonKey.String(problemReason(info.Problem.Reason))))
	}
}

func (f *source) evicted(info headway.EvictedInfo) {
	s := f.series(info.Partition)
	if s == nil {
		return
	}
	reason := "idle"
	if info.Full {
		reason = "full"
	}
	f.instruments.evicted.Add(context.Background(), 1, s.with(reasonKey.String(reason)))
}

// refusalReason is why a request is refused.
func refusalReason(err *headway.LimitError) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "deadline"
	}
	return "max_wait"
}

// problemReason is a validate.Reason in one word, as its text may change.
func problemReason(reason validate.Reason) string {
	switch reason {
	case validate.Malformed:
		return "malformed"
	case validate.Cached:
		return "cached"
	case validate.TooLong:
		return "too_long"
	case validate.TooMany:
		return "too_many"
	case validate.TooFast:
		return "too_fast"
	case validate.NoClock:
		return "no_clock"
	case validate.Placeholder:
		return "placeholder"
	case validate.Ambiguous:
		return "ambiguous"
	case validate.Repeated:
		return "repeated"
	case validate.Crowded:
		return "crowded"
	}
	return other
}
