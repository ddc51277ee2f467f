package headway

import (
	"context"
	"log/slog"
	"time"

	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/validate"
)

// maxReported bounds how many problems of a partition are logged at level Info: servers
// choose what is wrong with their fields.
const maxReported = 32

// noteworthy is how long a hold must be to be logged at level Info.
const noteworthy = time.Second

// logs reports whether records of that level are wanted. Attributes are made
// only then, and never under a lock. They hold no header values, URLs or
// credentials.
func (t *Transport) logs(ctx context.Context, level slog.Level) bool {
	return t.Logger != nil && t.Logger.Enabled(ctx, level)
}

// does returns what happens or, in a shadow, what would.
func (t *Transport) does(happens, would string) string {
	if t.Shadow {
		return would
	}
	return happens
}

func (c *call) logSent(what string, info *SentInfo) {
	ctx := c.req.Context()
	if !c.logs(ctx, slog.LevelDebug) {
		return
	}
	c.Logger.LogAttrs(ctx, slog.LevelDebug, what,
		slog.String("partition", info.Partition),
		slog.Duration("held", info.Held),
		slog.Int("resends", info.Resends))
}

// logWait tells of a request that has to wait, or in a shadow would have to.
func (c *call) logWait(info *WaitingInfo) {
	ctx := c.req.Context()
	if !c.logs(ctx, slog.LevelDebug) {
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
	c.Logger.LogAttrs(ctx, slog.LevelDebug, c.does("request waits", "request would wait"), attrs...)
}

func (c *call) logRefused(err *LimitError) {
	ctx := c.req.Context()
	if !c.logs(ctx, slog.LevelWarn) {
		return
	}
	c.Logger.LogAttrs(ctx, slog.LevelWarn, c.does("request is refused", "request would be refused"),
		slog.String("partition", err.Partition),
		slog.String("policy", err.Policy),
		slog.Duration("wait", err.Wait),
		slog.String("reason", err.Err.Error()))
}

// logIgnored tells at level Info of what is wrong with a server's fields, but once of
// each partition, as it is mostly wrong in each response.
func (c *call) logIgnored(problem *validate.Problem) {
	ctx, level := c.req.Context(), slog.LevelDebug
	if isNews(problem.Reason) && c.logs(ctx, slog.LevelInfo) && c.partition.reports(problem) {
		level = slog.LevelInfo
	}
	if !c.logs(ctx, level) {
		return
	}
	c.Logger.LogAttrs(ctx, level, "header field is ignored or clamped",
		slog.String("partition", c.name()),
		slog.String("field", problem.Field),
		slog.String("reason", problem.Error()))
}

// isNews reports whether an operator may want to know of it: what caches and
// servers without limits do is as it should be.
func isNews(reason validate.Reason) bool {
	return reason != validate.Cached && reason != validate.Placeholder
}

// reports notes that a problem is reported. It is false if it was before, or if too many
// were. It locks p.mu.
func (p *partition) reports(problem *validate.Problem) bool {
	id := identity.Hash(problem.Field + "\n" + string(problem.Reason))
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.note()
	if _, ok := n.reported[id]; ok || len(n.reported) >= maxReported {
		return false
	}
	if n.reported == nil {
		n.reported = make(map[uint64]struct{})
	}
	n.reported[id] = struct{}{}
	return true
}

func (c *call) logReading(status int, reading *validate.Reading) {
	ctx := c.req.Context()
	if !c.logs(ctx, slog.LevelDebug) {
		return
	}
	if reading.RetryAfter >= 0 {
		c.Logger.LogAttrs(ctx, slog.LevelDebug, "server asks to wait",
			slog.String("partition", c.name()),
			slog.Int("status", status),
			slog.Duration("retry_after", reading.RetryAfter))
	}
	for i := range reading.Limits {
		l := &reading.Limits[i]
		c.Logger.LogAttrs(ctx, slog.LevelDebug, "server tells a limit",
			slog.String("partition", c.name()),
			slog.Int("status", status),
			slog.String("policy", l.Policy),
			slog.String("unit", string(l.Unit)),
			slog.Int64("quota", l.Quota),
			slog.Int64("remaining", l.Remaining),
			slog.Duration("window", l.Window),
			slog.Duration("reset", l.Reset))
	}
}

// logThrottled tells of a refusal, and of its hold, at level Info if that is news: each
// answer of a round may make it a little longer.
func (c *call) logThrottled(info *ThrottledInfo, isNews bool) {
	ctx := c.req.Context()
	if c.logs(ctx, slog.LevelDebug) {
		c.Logger.LogAttrs(ctx, slog.LevelDebug, "request was throttled",
			slog.String("partition", info.Partition),
			slog.Int("status", info.Status),
			slog.Bool("resend", info.Resend))
	}
	level := slog.LevelInfo
	if info.Hold < noteworthy || !isNews {
		level = slog.LevelDebug
	}
	if info.Hold > 0 && c.logs(ctx, level) {
		attrs := []slog.Attr{
			slog.String("partition", info.Partition),
			slog.Int("status", info.Status),
			slog.Duration("hold", info.Hold),
		}
		if info.Policies != nil { // the rest of the partition is not held
			attrs = append(attrs, slog.Any("policies", info.Policies))
		}
		c.Logger.LogAttrs(ctx, level, c.does("partition is held", "partition would be held"), attrs...)
	}
}

func (t *Transport) logEvicted(info *EvictedInfo) {
	ctx := context.Background()
	if !t.logs(ctx, slog.LevelDebug) {
		return
	}
	t.Logger.LogAttrs(ctx, slog.LevelDebug, "partition is forgotten",
		slog.String("partition", info.Partition),
		slog.Duration("idle", info.Idle),
		slog.Bool("full", info.Full))
}

// logFleet tells of the store of a Fleet.
func (t *Transport) logFleet(info *FleetInfo) {
	switch {
	case t.Logger == nil:
	case info.Err != nil:
		t.Logger.Warn("the fleet's store cannot be reached: quotas are shared by what the server tells", slog.String("reason", info.Err.Error()))
	default:
		t.Logger.Info("the fleet's store is reached")
	}
}
