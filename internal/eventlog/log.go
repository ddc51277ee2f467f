// Package eventlog writes to a slog.Logger what a Transport decides. Many events of a kind make few lines: a digest remembers
// for each partition what was logged of it.
//
// A [Log] makes attributes only for lines that the Logger wants. It logs no header values, URLs or credentials. It is safe
// for concurrent use, and calls the Logger without any lock held.
package eventlog

import (
	"context"
	"hash/maphash"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/internal/registry"
	"github.com/headway-go/headway/internal/schedule"
	"github.com/headway-go/headway/pacer"
	"github.com/headway-go/headway/validate"
)

// A Log is the log of one Transport.
type Log struct {
	*slog.Logger
	shadow  bool
	ceiling *rate.Limiter // the Transport's; nil: none

	seed    maphash.Seed
	owing   atomic.Int64 // digests that may owe a line
	mu      sync.Mutex
	digests map[string]*digest // by partition; locked by mu
}

// New returns the Log of a Logger; nil if that is nil. In a shadow nothing happens to requests, and the lines say so.
func New(logger *slog.Logger, shadow bool, ceiling *rate.Limiter) *Log {
	if logger == nil {
		return nil
	}
	return &Log{Logger: logger, shadow: shadow, ceiling: ceiling, seed: maphash.MakeSeed(), digests: make(map[string]*digest)}
}

// does returns what happens or, in a shadow, what would happen.
func (l *Log) does(happens, would string) string {
	if l.shadow {
		return would
	}
	return happens
}

// Left logs that a request goes to Base or, if it is not sent, gives up waiting. It was held for so long in all.
func (l *Log) Left(ctx context.Context, partition string, isSent bool, held time.Duration, resends int) {
	what := "request is sent"
	if !isSent {
		what = "request gives up waiting"
	}
	l.LogAttrs(ctx, slog.LevelDebug, what,
		slog.String("partition", partition),
		slog.Duration("held", held),
		slog.Int("resends", resends))
}

// Refused logs that a request is not sent. Of many in a second only the first is logged at level Warn, and later how many
// there were.
func (l *Log) Refused(ctx context.Context, partition string, r *schedule.Wait) {
	if !l.Enabled(ctx, slog.LevelWarn) {
		return
	}
	count, isDue := 1, true
	l.digest(partition, true, func(d *digest) { count, isDue = d.refusals.add(clock.Wall(), r) })
	if !isDue {
		l.refusal(ctx, slog.LevelDebug, partition, 1, r)
		return
	}
	l.refusal(ctx, slog.LevelWarn, partition, count, r)
}

func (l *Log) refusal(ctx context.Context, level slog.Level, partition string, count int, r *schedule.Wait) {
	what := l.does("request is not sent", "request would not be sent")
	if count > 1 {
		what = l.does("more requests are not sent", "more requests would not be sent")
	}
	attrs := []slog.Attr{slog.String("partition", partition)}
	if count > 1 {
		attrs = append(attrs, slog.Int("count", count))
	}
	attrs = append(attrs, slog.String("cause", Cause(r.Plan, r.Ceiling)))
	if r.Policy != "" {
		attrs = append(attrs, slog.String("policy", r.Policy))
	}
	if r.At < pacer.Never {
		attrs = append(attrs, slog.Duration("wait", RoundWait(r.At.Sub(r.Now))))
	}
	reason := "the wait is longer than MaxWait"
	if r.Deadline {
		reason = "the wait is longer than the deadline allows"
	}
	l.LogAttrs(ctx, level, what, append(attrs, slog.String("reason", reason))...)
}

// settle logs how many requests were not sent since the last line about that, if a second has passed.
func (l *Log) settle(ctx context.Context, partition string) {
	if l.owing.Load() == 0 {
		return
	}
	var count int
	var last *schedule.Wait
	l.digest(partition, false, func(d *digest) { count, last, _ = d.refusals.due(clock.Wall()) })
	if count > 0 {
		l.refusal(ctx, slog.LevelWarn, partition, count, last)
	}
}

// Read logs what a header or a trailer reports, and what is wrong with it.
func (l *Log) Read(ctx context.Context, partition string, status int, reading *validate.Reading) {
	for _, problem := range reading.Problems {
		l.ignored(ctx, partition, problem)
	}
	if l.Enabled(ctx, slog.LevelDebug) {
		l.reading(ctx, slog.String("partition", partition), slog.Int("status", status), reading)
	}
	l.settle(ctx, partition)
}

// ignored logs what is wrong with a header field. Level Info has it once for each partition, since the field is mostly
// wrong in every response.
func (l *Log) ignored(ctx context.Context, partition string, problem *validate.Problem) {
	level := slog.LevelDebug
	if isNews(problem.Reason) && l.Enabled(ctx, slog.LevelInfo) && l.isFirst(partition, problem) {
		level = slog.LevelInfo
	}
	l.LogAttrs(ctx, level, "header field is ignored or clamped",
		slog.String("partition", partition),
		slog.String("field", problem.Field),
		slog.String("reason", problem.Error()))
}

// isNews reports whether an operator may want to know of a problem. Fields from caches and placeholders are no fault of
// the server.
func isNews(reason validate.Reason) bool {
	return reason != validate.Cached && reason != validate.Placeholder
}

// isFirst notes that a problem is logged. It reports false if it was logged before, or if too many were.
func (l *Log) isFirst(partition string, problem *validate.Problem) (isFirst bool) {
	id := maphash.Comparable(l.seed, [...]string{problem.Field, string(problem.Reason)})
	l.digest(partition, true, func(d *digest) { isFirst = d.addProblem(id) })
	return isFirst
}

func (l *Log) reading(ctx context.Context, partition, status slog.Attr, reading *validate.Reading) {
	if reading.RetryAfter >= 0 {
		l.LogAttrs(ctx, slog.LevelDebug, "server asks to wait", partition, status, slog.Duration("retry_after", reading.RetryAfter))
	}
	for i := range reading.Limits {
		limit := &reading.Limits[i]
		l.LogAttrs(ctx, slog.LevelDebug, "server reports a limit", partition, status,
			slog.String("policy", limit.Policy),
			slog.String("unit", string(limit.Unit)),
			slog.Int64("quota", limit.Quota),
			slog.Int64("remaining", limit.Remaining),
			slog.Duration("window", limit.Window),
			slog.Duration("reset", limit.Reset))
	}
}

// Throttled logs a refusal at level Debug, and at level Info the hold that it sets if that is news: each response of a
// round of refusals may make the hold a little longer. policies are those that the response says are violated; nil if it
// does not say.
func (l *Log) Throttled(ctx context.Context, partition string, now pacer.Instant, status int, policies []string, v *schedule.Verdict) {
	l.LogAttrs(ctx, slog.LevelDebug, "request was throttled",
		slog.String("partition", partition),
		slog.Int("status", status),
		slog.Bool("resend", v.Wait != nil))
	level, hold := slog.LevelDebug, v.HoldEnd.Sub(now)
	if hold >= longWait && v.IsNews {
		level = slog.LevelInfo
	}
	if hold <= 0 || !l.Enabled(ctx, level) {
		return
	}
	what := l.does("server refused a request: nothing is sent until the hold ends", "server refused a request: nothing would be sent until the hold ends")
	attrs := []slog.Attr{
		slog.String("partition", partition),
		slog.Int("status", status),
		slog.Duration("hold", hold),
	}
	if policies != nil { // the rest of the partition is not held
		what = l.does("server refused a request: nothing that uses these policies is sent until the hold ends",
			"server refused a request: nothing that uses these policies would be sent until the hold ends")
		attrs = append(attrs, slog.Any("policies", policies))
	}
	l.LogAttrs(ctx, level, what, attrs...)
}

// Evicted logs that a partition is forgotten, and what the log owes about it.
func (l *Log) Evicted(e registry.Eviction) {
	ctx, partition := context.Background(), e.Partition.Name()
	if d := l.forget(partition); d != nil {
		if count, last, isAny := d.refusals.take(clock.Wall()); isAny {
			l.refusal(ctx, slog.LevelWarn, partition, count, last)
		}
		if d.waits.end(clock.Wall()) == waitsEnd {
			l.waitsEnd(ctx, partition, d.waits.seen.Sub(d.waits.begun), d.waits.longest)
		}
	}
	l.LogAttrs(ctx, slog.LevelDebug, "partition is forgotten",
		slog.String("partition", partition),
		slog.Duration("idle", e.Idle),
		slog.Bool("full", e.Full))
}

// Reached logs that the store of a fleet is reachable again or, with an error, unreachable.
func (l *Log) Reached(err error) {
	if err == nil {
		l.Info("fleet store is reachable again: processes share quotas exactly")
		return
	}
	l.Warn("fleet store is unreachable: each process estimates its share of quotas", slog.String("reason", err.Error()))
}
