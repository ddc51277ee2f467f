package headway

import (
	"context"
	"hash/maphash"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/headway-go/headway/internal/registry"
	"github.com/headway-go/headway/validate"
)

const (
	// maxReported bounds the problems of a partition that are logged at level Info: servers choose what is wrong with
	// their fields.
	maxReported = 32
	// noteworthy is how long a hold must be to be logged at level Info.
	noteworthy = time.Second
)

// A log writes what the hooks of a Trace are told. Attributes are made only for records that are wanted. They hold no
// header values, URLs or credentials.
type log struct {
	*slog.Logger
	shadow bool

	seed     maphash.Seed
	mu       sync.Mutex
	reported map[string][]uint64 // by partition: problems that were logged at level Info, by their hashes
}

// newLog returns hooks that write to a Logger; nil if that is nil.
func newLog(logger *slog.Logger, shadow bool) *Trace {
	if logger == nil {
		return nil
	}
	l := &log{Logger: logger, shadow: shadow, seed: maphash.MakeSeed(), reported: make(map[string][]uint64)}
	return &Trace{
		Reading: l.reading, Waiting: l.waiting, Throttled: l.throttled, Refused: l.refused, Ignored: l.ignored,
		Sent: l.sent, Resent: l.sent, Abandoned: l.abandoned, Evicted: l.evicted, Fleet: l.fleet,
	}
}

// does returns what happens or, in a shadow, what would.
func (l *log) does(happens, would string) string {
	if l.shadow {
		return would
	}
	return happens
}

func (l *log) sent(ctx context.Context, info SentInfo) { l.request(ctx, "request is sent", info) }

func (l *log) abandoned(ctx context.Context, info SentInfo) {
	l.request(ctx, "request is abandoned", info)
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

func (l *log) refused(ctx context.Context, err *LimitError) {
	l.LogAttrs(ctx, slog.LevelWarn, l.does("request is refused", "request would be refused"),
		slog.String("partition", err.Partition),
		slog.String("policy", err.Policy),
		slog.Duration("wait", err.Wait),
		slog.String("reason", err.Err.Error()))
}

// ignored tells at level Info of what is wrong with a server's fields, but once of each partition, as it is mostly wrong
// in each response.
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

// isNews reports whether an operator may want to know of it: what caches and servers without limits do is as it should
// be.
func isNews(reason validate.Reason) bool {
	return reason != validate.Cached && reason != validate.Placeholder
}

// isFirst notes that a problem is logged. It is false if it was before, or if too many were.
func (l *log) isFirst(info IgnoredInfo) bool {
	id := maphash.Comparable(l.seed, [...]string{info.Problem.Field, string(info.Problem.Reason)})
	l.mu.Lock()
	defer l.mu.Unlock()
	before, ok := l.reported[info.Partition]
	if slices.Contains(before, id) || len(before) >= maxReported || !ok && len(l.reported) >= registry.MaxPartitions {
		return false
	}
	l.reported[info.Partition] = append(before, id)
	return true
}

// forget forgets what was logged of a partition.
func (l *log) forget(partition string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.reported, partition)
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
	for i := range info.Reading.Limits {
		told := &info.Reading.Limits[i]
		l.LogAttrs(ctx, slog.LevelDebug, "server tells a limit",
			slog.String("partition", info.Partition),
			slog.Int("status", info.Status),
			slog.String("policy", told.Policy),
			slog.String("unit", string(told.Unit)),
			slog.Int64("quota", told.Quota),
			slog.Int64("remaining", told.Remaining),
			slog.Duration("window", told.Window),
			slog.Duration("reset", told.Reset))
	}
}

// throttled tells of a refusal, and of its hold, at level Info if that is news: each answer of a round may make it a
// little longer.
func (l *log) throttled(ctx context.Context, info ThrottledInfo) {
	l.LogAttrs(ctx, slog.LevelDebug, "request was throttled",
		slog.String("partition", info.Partition),
		slog.Int("status", info.Status),
		slog.Bool("resend", info.Resend))
	level := slog.LevelDebug
	if info.Hold >= noteworthy && info.IsNews {
		level = slog.LevelInfo
	}
	if info.Hold <= 0 || !l.Enabled(ctx, level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("partition", info.Partition),
		slog.Int("status", info.Status),
		slog.Duration("hold", info.Hold),
	}
	if info.Policies != nil { // the rest of the partition is not held
		attrs = append(attrs, slog.Any("policies", info.Policies))
	}
	l.LogAttrs(ctx, level, l.does("partition is held", "partition would be held"), attrs...)
}

func (l *log) evicted(info EvictedInfo) {
	l.forget(info.Partition)
	l.LogAttrs(context.Background(), slog.LevelDebug, "partition is forgotten",
		slog.String("partition", info.Partition),
		slog.Duration("idle", info.Idle),
		slog.Bool("full", info.Full))
}

func (l *log) fleet(info FleetInfo) {
	if info.Err == nil {
		l.Info("the fleet's store is reached")
		return
	}
	l.Warn("the fleet's store cannot be reached: quotas are shared by what the server tells", slog.String("reason", info.Err.Error()))
}
