package headway

import (
	"context"
	"log/slog"

	"github.com/headway-go/headway/internal/eventlog"
	"github.com/headway-go/headway/validate"
)

// A logTrace has the hooks that write what a Transport decides to its Logger. No line has a header value, a URL or a
// credential.
type logTrace struct{ *eventlog.Log }

func (l logTrace) trace() *Trace {
	sent := l.left("request is sent")
	return &Trace{
		Reading: l.reading, Waiting: l.waiting, Sent: sent, Resent: sent, Throttled: l.throttled,
		Refused: l.refused, Abandoned: l.left("request gives up waiting"), Evicted: l.evicted, Fleet: l.fleet,
	}
}

func (l logTrace) reading(ctx context.Context, i ReadingInfo) {
	for _, problem := range i.Reading.Problems {
		l.Ignored(ctx, i.Partition, problem)
	}
	if i.Reading.RetryAfter >= 0 {
		l.Write(ctx, slog.LevelDebug, "server asks to wait", i.Partition,
			slog.Int("status", i.Status), slog.Duration("retry_after", i.Reading.RetryAfter))
	}
	for _, limit := range i.Reading.Limits {
		l.Write(ctx, slog.LevelDebug, "server reports a limit", i.Partition,
			slog.Int("status", i.Status), slog.String("policy", limit.Policy), slog.String("unit", string(limit.Unit)),
			slog.Int64("quota", limit.Quota), slog.Int64("remaining", limit.Remaining),
			slog.Duration("window", limit.Window), slog.Duration("reset", limit.Reset))
	}
}

func (l logTrace) waiting(ctx context.Context, i WaitingInfo) {
	l.Write(ctx, slog.LevelDebug, l.Does("request waits", "request would wait"), i.Partition,
		slog.String("policy", i.Policy), slog.String("cause", string(i.Cause)), slog.Int("queue", i.Queue),
		slog.Bool("resend", i.Resend), slog.Duration("wait", i.Wait))
}

func (l logTrace) left(what string) func(context.Context, SentInfo) {
	return func(ctx context.Context, i SentInfo) {
		l.Write(ctx, slog.LevelDebug, what, i.Partition, slog.Duration("held", i.Held), slog.Int("resends", i.Resends))
	}
}

func (l logTrace) refused(ctx context.Context, err *LimitError) {
	reason := "the wait is longer than MaxWait"
	if err.Timeout() {
		reason = "the wait is longer than the deadline allows"
	}
	l.Refused(ctx, err.Partition, slog.String("cause", string(err.Cause)), slog.String("policy", err.Policy),
		slog.Duration("wait", eventlog.RoundWait(err.Wait)), slog.String("reason", reason))
}

// throttled writes at level Info the hold that a refusal has set, if that is news.
func (l logTrace) throttled(ctx context.Context, i ThrottledInfo) {
	status := slog.Int("status", i.Status)
	l.Write(ctx, slog.LevelDebug, "request was throttled", i.Partition, status, slog.Bool("resend", i.Resend),
		slog.String("verdict", i.Verdict.String()), slog.String("sign", i.Sign))
	if i.Verdict == validate.VerdictNever && i.IsNews {
		l.Write(ctx, slog.LevelWarn, "server refused a request for good: it is not sent again, as waiting does not help", i.Partition,
			status, slog.String("sign", i.Sign))
	}
	if i.Hold == 0 {
		return
	}
	level, what, attrs := slog.LevelDebug, "nothing", []slog.Attr{status, slog.Duration("hold", i.Hold)}
	if i.Hold >= eventlog.LongWait && i.IsNews {
		level = slog.LevelInfo
	}
	if i.Policies != nil { // the rest of the partition is not held
		what, attrs = "nothing that uses these policies", append(attrs, slog.Any("policies", i.Policies))
	}
	l.Write(ctx, level, "server refused a request: "+what+l.Does(" is", " would be")+" sent until the hold ends", i.Partition, attrs...)
}

func (l logTrace) evicted(i EvictedInfo) {
	l.Forget(i.Partition)
	l.Write(context.Background(), slog.LevelDebug, "partition is forgotten", i.Partition,
		slog.Duration("idle", i.Idle), slog.Bool("full", i.Full))
}

func (l logTrace) fleet(i FleetInfo) {
	switch {
	case i.Lost:
		l.Warn("fleet store is unreachable: each process estimates its share of quotas", slog.String("reason", i.Err.Error()))
	case i.Err != nil:
		l.Warn("fleet does not share quotas as it should", slog.String("reason", i.Err.Error()))
	default:
		l.Info("fleet store is reachable again: processes share quotas exactly")
	}
}
