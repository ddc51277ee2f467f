package proxy

import (
	"context"
	"log/slog"
	"strings"
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
			switch {
			case info.Lost:
				log.Warn("fleet store is unreachable", slog.String("reason", info.Err.Error()))
			case info.Err != nil:
				log.Warn("fleet does not share quotas as it should", slog.String("reason", info.Err.Error()))
			default:
				log.Info("fleet store is reachable again")
			}
		},
	}
}

// An unquotedHandler ends each message before its first quotation mark.
type unquotedHandler struct{ slog.Handler }

// WithoutQuotes returns the handler for what net/http logs. net/http quotes what servers and clients send, which may be
// secret. Messages are written to h up to the first quotation mark.
func WithoutQuotes(h slog.Handler) slog.Handler { return unquotedHandler{h} }

func (h unquotedHandler) Handle(ctx context.Context, r slog.Record) error {
	text, _, _ := strings.Cut(r.Message, `"`)
	r.Message = strings.TrimSpace(text)
	return h.Handler.Handle(ctx, r)
}
