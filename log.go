package headway

import (
	"context"
	"log/slog"
	"time"

	"github.com/headway-go/headway/pacer"
	"github.com/headway-go/headway/validate"
)

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

func (c *call) logSent(resends int) {
	ctx := c.req.Context()
	if !c.logs(ctx, slog.LevelDebug) {
		return
	}
	c.Logger.LogAttrs(ctx, slog.LevelDebug, "request is sent",
		slog.String("partition", c.partition.key.String()),
		slog.Duration("waited", c.clock().now().Sub(c.called)),
		slog.Int("resends", resends))
}

// logWait tells of a request that has to wait, or in a shadow would have to.
func (c *call) logWait(plan pacer.Plan) {
	ctx := c.req.Context()
	if !c.logs(ctx, slog.LevelDebug) {
		return
	}
	c.Logger.LogAttrs(ctx, slog.LevelDebug, c.does("request waits", "request would wait"),
		slog.String("partition", c.partition.key.String()),
		slog.String("policy", plan.Policy),
		slog.Duration("wait", plan.At.Sub(c.called)),
		slog.Bool("planned", plan.Known))
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

func (c *call) logAnswer(now pacer.Instant, status int, reading *validate.Reading, v verdict) {
	ctx := c.req.Context()
	if c.logs(ctx, slog.LevelDebug) {
		for _, problem := range reading.Problems {
			c.Logger.LogAttrs(ctx, slog.LevelDebug, "header field is ignored or clamped",
				slog.String("partition", c.partition.key.String()),
				slog.String("field", problem.Field),
				slog.String("reason", problem.Error()))
		}
		if reading.Throttled {
			c.Logger.LogAttrs(ctx, slog.LevelDebug, "request was throttled",
				slog.String("partition", c.partition.key.String()),
				slog.Int("status", status),
				slog.Bool("resend", v.queued))
		}
	}
	level := slog.LevelInfo
	if v.holdEnd.Sub(now) < noteworthy {
		level = slog.LevelDebug
	}
	if v.holdEnd > now && c.logs(ctx, level) {
		c.Logger.LogAttrs(ctx, level, c.does("partition is held", "partition would be held"),
			slog.String("partition", c.partition.key.String()),
			slog.Int("status", status),
			slog.Duration("hold", v.holdEnd.Sub(now)))
	}
}
