package promheadway

import (
	"context"
	"errors"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

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

func (f *source) waiting(_ context.Context, info headway.WaitingInfo) {
	if s := f.series(info.Partition); s != nil {
		f.metrics.waits.WithLabelValues(s.transport, s.partition, string(info.Cause)).Inc()
	}
}

func (f *source) sent(ctx context.Context, info headway.SentInfo) {
	if s := f.series(info.Partition); s != nil {
		s.sent.Inc()
		f.observe(ctx, s.held, info.Held)
	}
}

func (f *source) resent(ctx context.Context, info headway.SentInfo) {
	if s := f.series(info.Partition); s != nil {
		s.resent.Inc()
		f.observe(ctx, f.metrics.held.WithLabelValues(s.transport, s.partition, outcomeResent), info.Held)
	}
}

func (f *source) abandoned(ctx context.Context, info headway.SentInfo) {
	if s := f.series(info.Partition); s != nil {
		s.abandoned.Inc()
		f.observe(ctx, f.metrics.held.WithLabelValues(s.transport, s.partition, outcomeAbandoned), info.Held)
	}
}

func (f *source) throttled(_ context.Context, info headway.ThrottledInfo) {
	if s := f.series(info.Partition); s != nil {
		f.metrics.throttled.WithLabelValues(s.transport, s.partition, strconv.Itoa(info.Status)).Inc()
	}
}

func (f *source) refused(_ context.Context, err *headway.LimitError) {
	if s := f.series(err.Partition); s != nil {
		f.metrics.refused.WithLabelValues(s.transport, s.partition, s.policy(err.Policy), refusalReason(err)).Inc()
	}
}

func (f *source) ignored(_ context.Context, info headway.IgnoredInfo) {
	if s := f.series(info.Partition); s != nil {
		f.metrics.ignored.WithLabelValues(s.transport, s.partition, problemReason(info.Problem.Reason)).Inc()
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
	f.metrics.evicted.WithLabelValues(s.transport, s.partition, reason).Inc()
}

// observe notes a time held, with an exemplar if there is one.
func (f *source) observe(ctx context.Context, to prometheus.Observer, held time.Duration) {
	if f.Exemplar != nil {
		if exemplar := f.Exemplar(ctx); exemplar != nil {
			to.(prometheus.ExemplarObserver).ObserveWithExemplar(held.Seconds(), exemplar) // a histogram is one
			return
		}
	}
	to.Observe(held.Seconds())
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
