package proxy

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/headway-go/headway"
)

// events returns hooks that log holds and refusals, and note in the exchange of a request how it waits.
func events(log *slog.Logger, c *counters) *headway.Trace {
	sent := func(ctx context.Context, info headway.SentInfo) {
		if x := exchangeOf(ctx); x != nil {
			x.partition, x.wait = info.Partition, info.Held
		}
	}
	return &headway.Trace{
		Sent: sent, Resent: sent, Abandoned: sent,
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
			if x := exchangeOf(ctx); x != nil {
				x.partition, x.wait = err.Partition, err.Waited
			}
			log.LogAttrs(ctx, slog.LevelWarn, "refusal",
				slog.String("partition", err.Partition), slog.String("cause", string(err.Cause)),
				slog.String("policy", err.Policy), slog.Float64("seconds", seconds(err.Wait)))
		},
		Fleet: func(info headway.FleetInfo) {
			c.storeUp.Set(map[bool]float64{false: 1}[info.Lost])
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

// A netHandler is for what net/http logs.
type netHandler struct{ slog.Handler }

// WithoutQuotes returns the handler for what net/http logs. net/http quotes what servers and clients send, which may be
// secret. Messages are written to h up to the first quotation mark. Failed handshakes are lines of level Debug, as anyone can cause
// any number of them.
func WithoutQuotes(h slog.Handler) slog.Handler { return netHandler{h} }

func (h netHandler) Handle(ctx context.Context, r slog.Record) error {
	text, _, _ := strings.Cut(r.Message, `"`)
	r.Message = strings.TrimSpace(text)
	if strings.HasPrefix(text, "http: TLS handshake error") {
		r.Level = slog.LevelDebug
	}
	if !h.Enabled(ctx, r.Level) {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}
