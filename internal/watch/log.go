package headway

import (
	"context"
	"hash/maphash"
	"log/slog"
	"sync"
	"sync/atomic"

	"golang.org/x/time/rate"

	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/validate"
)

// A log writes what a Transport decides to its Logger. It makes attributes only for lines that the Logger wants, and
// logs no header values, URLs or credentials.
type log struct {
	*slog.Logger
	shadow  bool
	ceiling *rate.Limiter // the Transport's; nil: none

	seed    maphash.Seed
	owing   atomic.Int64 // digests that may owe a line
	mu      sync.Mutex
	digests map[string]*digest // by partition; locked by mu
}

// newLog returns the log of a Logger; nil if that is nil.
func newLog(logger *slog.Logger, shadow bool, ceiling *rate.Limiter) *log {
	if logger == nil {
		return nil
	}
	return &log{Logger: logger, shadow: shadow, ceiling: ceiling, seed: maphash.MakeSeed(), digests: make(map[string]*digest)}
}

// hooks returns the log's hooks; nil for a nil log. Long waits and refused requests need the partition besides, so the
// reporter calls begins, ends and refuses.
func (l *log) hooks() *Trace {
	if l == nil {
		return nil
	}
	return &Trace{
		Reading: l.reading, Waiting: l.waiting, Throttled: l.throttled, Ignored: l.ignored,
		Sent: l.sent, Resent: l.sent, Abandoned: l.abandoned, Evicted: l.evicted, Fleet: l.fleet,
	}
}

// does returns what happens or, in a shadow, what would happen.
func (l *log) does(happens, would string) string {
	if l.shadow {
		return would
	}
	return happens
}

func (l *log) sent(ctx context.Context, info SentInfo) { l.request(ctx, "request is sent", info) }

func (l *log) abandoned(ctx context.Context, info SentInfo) {
	l.request(ctx, "request gives up waiting", info)
}

func (l *log) request(ctx context.Context, what string, info SentInfo) {
	l.LogAttrs(ctx, slog.LevelDebug, what,
		slog.String("partition", info.Partition),
		slog.Duration("held", info.Held),
		slog.Int("resends", info.Resends))
}

func (l *log) waiting(ctx context.Context, info WaitingInfo) {
	if !l.Enabled(ctx, slog.LevelDebug) {
		return
	}
	attrs := []slog.Attr{
		slog.String("partition", info.Partition),
		slog.String("policy", info.Policy),
		slog.String("cause", string(info.Cause)),
		slog.Int("queue", info.Queue),
		slog.Bool("resend", info.Resend),
	}
	if !info.Until.IsZero() {
		attrs = append(attrs, slog.Duration("wait", info.Wait))
	}
	if info.Age >= 0 {
		attrs = append(attrs, slog.Duration("age", info.Age))
	}
	l.LogAttrs(ctx, slog.LevelDebug, l.does("request waits", "request would wait"), attrs...)
}

// refuses logs that a request is not sent. Of many in a second only the first is logged at level Warn, and later how many
// there were.
func (l *log) refuses(ctx context.Context, err *LimitError) {
	if !l.Enabled(ctx, slog.LevelWarn) {
		return
	}
	count, isDue := 1, true
	l.digest(err.Partition, true, func(d *digest) { count, isDue = d.refusals.add(clock.Wall(), err) })
	if !isDue {
		l.refusal(ctx, slog.LevelDebug, 1, err)
		return
	}
	l.refusal(ctx, slog.LevelWarn, count, err)
}

func (l *log) refusal(ctx context.Context, level slog.Level, count int, err *LimitError) {
	what := l.does("request is not sent", "request would not be sent")
	if count > 1 {
		what = l.does("more requests are not sent", "more requests would not be sent")
	}
	attrs := []slog.Attr{slog.String("partition", err.Partition)}
	if count > 1 {
		attrs = append(attrs, slog.Int("count", count))
	}
	attrs = append(attrs, slog.String("cause", string(err.Cause)))
	if err.Policy != "" {
		attrs = append(attrs, slog.String("policy", err.Policy))
	}
	if !err.RetryAt.IsZero() {
		attrs = append(attrs, slog.Duration("wait", roundWait(err.Wait)))
	}
	reason := "the wait is longer than MaxWait"
	if err.Timeout() {
		reason = "the wait is longer than the deadline allows"
	}
	l.LogAttrs(ctx, level, what, append(attrs, slog.String("reason", reason))...)
}

// settle logs how many requests were not sent since the last line about that, if a second has passed.
func (l *log) settle(ctx context.Context, partition string) {
	if l.owing.Load() == 0 {
		return
	}
	var count int
	var err *LimitError
	l.digest(partition, false, func(d *digest) { count, err, _ = d.refusals.due(clock.Wall()) })
	if count > 0 {
		l.refusal(ctx, slog.LevelWarn, count, err)
	}
}

// ignored logs what is wrong with a header field. Level Info has it once for each partition, since the field is mostly
// wrong in every response.
func (l *log) ignored(ctx context.Context, info IgnoredInfo) {
	level := slog.LevelDebug
	if isNews(info.Problem.Reason) && l.Enabled(ctx, slog.LevelInfo) && l.isFirst(info) {
		level = slog.LevelInfo
	}
	l.LogAttrs(ctx, level, "header field is ignored or clamped",
		slog.String("partition", info.Partition),
		slog.String("field", info.Problem.Field),
		slog.String("reason", info.Problem.Error()))
}

// isNews reports whether an operator may want to know of a problem. Fields from caches and placeholders are no fault of
// the server.
func isNews(reason validate.Reason) bool {
	return reason != validate.Cached && reason != validate.Placeholder
}

// isFirst notes that a problem is logged. It reports false if it was logged before, or if too many were.
func (l *log) isFirst(info IgnoredInfo) (isFirst bool) {
	id := maphash.Comparable(l.seed, [...]string{info.Problem.Field, string(info.Problem.Reason)})
	l.digest(info.Partition, true, func(d *digest) { isFirst = d.addProblem(id) })
	return isFirst
}

func (l *log) reading(ctx context.Context, info ReadingInfo) {
	if !l.Enabled(ctx, slog.LevelDebug) {
		return
	}
	if info.Reading.RetryAfter >= 0 {
		l.LogAttrs(ctx, slog.LevelDebug, "server asks to wait",
			slog.String("partition", info.Partition),
			slog.Int("status", info.Status),
			slog.Duration("retry_after", info.Reading.RetryAfter))
	}
	what := "server reports a limit"
	if info.Trailer {
		what = "server reports a limit in a trailer"
	}
	for i := range info.Reading.Limits {
		limit := &info.Reading.Limits[i]
		l.LogAttrs(ctx, slog.LevelDebug, what,
			slog.String("partition", info.Partition),
			slog.Int("status", info.Status),
			slog.String("policy", limit.Policy),
			slog.String("unit", string(limit.Unit)),
			slog.Int64("quota", limit.Quota),
			slog.Int64("remaining", limit.Remaining),
			slog.Duration("window", limit.Window),
			slog.Duration("reset", limit.Reset))
	}
}

// throttled logs a refusal at level Debug, and at level Info the hold that it sets if that is news: each response of a
// round of refusals may make the hold a little longer.
func (l *log) throttled(ctx context.Context, info ThrottledInfo) {
	l.LogAttrs(ctx, slog.LevelDebug, "request was throttled",
		slog.String("partition", info.Partition),
		slog.Int("status", info.Status),
		slog.Bool("resend", info.Resend))
	level := slog.LevelDebug
	if info.Hold >= longWait && info.IsNews {
		level = slog.LevelInfo
	}
	if info.Hold <= 0 || !l.Enabled(ctx, level) {
		return
	}
	what := l.does("server refused a request: nothing is sent until the hold ends", "server refused a request: nothing would be sent until the hold ends")
	attrs := []slog.Attr{
		slog.String("partition", info.Partition),
		slog.Int("status", info.Status),
		slog.Duration("hold", info.Hold),
	}
	if info.Policies != nil { // the rest of the partition is not held
		what = l.does("server refused a request: nothing that uses these policies is sent until the hold ends",
			"server refused a request: nothing that uses these policies would be sent until the hold ends")
		attrs = append(attrs, slog.Any("policies", info.Policies))
	}
	l.LogAttrs(ctx, level, what, attrs...)
}

func (l *log) evicted(info EvictedInfo) {
	ctx := context.Background()
	if d := l.forget(info.Partition); d != nil {
		if count, err, isAny := d.refusals.take(clock.Wall()); isAny {
			l.refusal(ctx, slog.LevelWarn, count, err)
		}
		if d.waits.end(clock.Wall()) == waitsEnd {
			l.waitsEnd(ctx, info.Partition, d.waits.seen.Sub(d.waits.begun), d.waits.longest)
		}
	}
	l.LogAttrs(ctx, slog.LevelDebug, "partition is forgotten",
		slog.String("partition", info.Partition),
		slog.Duration("idle", info.Idle),
		slog.Bool("full", info.Full))
}

func (l *log) fleet(info FleetInfo) {
	if info.Err == nil {
		l.Info("fleet store is reachable again: processes share quotas exactly")
		return
	}
	l.Warn("fleet store is unreachable: each process estimates its share of quotas", slog.String("reason", info.Err.Error()))
}
