package proxy

import (
	"context"
	"log/slog"
	"time"

	"github.com/headway-go/headway"
)

// events returns hooks that log each hold and each refusal, a line each.
func events(log *slog.Logger) *headway.Trace {
	return &headway.Trace{
		Throttled: func(ctx context.Context, info headway.ThrottledInfo) {
			if info.Hold <= 0 || !info.IsNews {
				return
			}
			attrs := []slog.Attr{
				slog.String("partition", info.Partition), slog.Int("status", info.Status),
				slog.Float64("seconds", seconds(info.Hold)), slog.Time("until", info.HeldUntil.UTC().Round(time.Millisecond)),
			}
			if len(info.Policies) > 0 {
				attrs = append(attrs, slog.Any("policies", info.Policies))
			}
			log.LogAttrs(ctx, slog.LevelInfo, "hold", attrs...)
		},
		Refused: func(ctx context.Context, err *headway.LimitError) {
			log.LogAttrs(ctx, slog.LevelWarn, "refusal",
				slog.String("partition", err.Partition), slog.String("cause", string(err.Cause)),
				slog.String("policy", err.Policy), slog.Float64("seconds", seconds(err.Wait)))
		},
		Fleet: func(info headway.FleetInfo) {
			if info.Err == nil {
				log.Info("fleet store is reachable again")
				return
			}
			log.Warn("fleet store is unreachable", slog.String("reason", info.Err.Error()))
		},
	}
}
