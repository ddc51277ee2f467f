package proxy

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/validate"
)

// events returns hooks that log holds and refusals, and note in the exchange of a request how it waits.
func events(log *slog.Logger, c *counters) *headway.Trace {
	sent := func(ctx context.Context, info headway.SentInfo) {
		x := exchangeOf(ctx)
		x.partition, x.wait = info.Partition, info.Held
	}
	return &headway.Trace{
		Sent: sent, Resent: sent, Abandoned: sent,
		Throttled: func(ctx context.Context, info headway.ThrottledInfo) {
			attrs := []slog.Attr{slog.String("partition", info.Partition), slog.Int("status", info.Status)}
			switch {
			case !info.IsNews:
			case info.Verdict == validate.VerdictNever:
				log.LogAttrs(ctx, slog.LevelWarn, "refusal for good", append(attrs, slog.String("sign", info.Sign))...)
			case info.Hold > 0:
				attrs = append(attrs, slog.Float64("seconds", seconds(info.Hold)), slog.Time("until", info.HeldUntil.UTC().Round(time.Millisecond)))
				if len(info.Policies) > 0 {
					attrs = append(attrs, slog.Any("policies", info.Policies))
				}
				log.LogAttrs(ctx, slog.LevelInfo, "hold", attrs...)
			}
		},
		Refused: func(ctx context.Context, err *headway.LimitError) {
			x := exchangeOf(ctx)
			x.partition, x.wait = err.Partition, err.Waited
			log.LogAttrs(ctx, slog.LevelWarn, "refusal",
				slog.String("partition", err.Partition), slog.String("cause", string(err.Cause)),
				slog.String("policy", err.Policy), slog.Float64("seconds", seconds(err.Wait)))
		},
		Fleet: func(info headway.FleetInfo) {
			switch {
			case info.Lost:
				c.storeUp.Set(0)
				log.Warn("fleet store is unreachable", slog.String("reason", info.Err.Error()))
			case info.Err != nil:
				log.Warn("fleet does not share quotas as it should", slog.String("reason", info.Err.Error()))
			default:
				c.storeUp.Set(1)
				log.Info("fleet store is reachable again")
			}
		},
	}
}

// A netHandler is for what net/http logs.
type netHandler struct{ slog.Handler }

// WithoutQuotes returns the handler for what net/http logs. net/http quotes what servers and clients send, which may be
// secret. Messages are written to h up to the first quotation mark, and one a second of those that are alike. Failed handshakes
// are lines of level Debug, as anyone can cause any number of them.
func WithoutQuotes(h slog.Handler) slog.Handler { return netHandler{newSumming(h)} }

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

const (
	sumFor   = time.Second // how long like lines of the log make one
	mostSums = 100         // kinds of lines at once; what is beyond that counts as one kind
)

// A summing handler writes the first of like records at once, and one a second for those that follow: the last of them, with
// their count. An upstream that is down would fill a disk otherwise.
type summing struct {
	slog.Handler

	sums *sums
}

// sums are the kinds of records that were written within sumFor.
type sums struct {
	mu   sync.Mutex
	open map[kind]*sum // guarded by mu
}

// A kind is what records that are alike have in common. The handler has the name of the upstream.
type kind struct {
	handler *summing
	level   slog.Level
	text    string // the message before its first digit, which is mostly of an address
}

type sum struct {
	last  slog.Record
	count int // of records that are not written
}

func newSumming(h slog.Handler) *summing { return &summing{h, &sums{open: map[kind]*sum{}}} }

func (h *summing) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &summing{h.Handler.WithAttrs(attrs), h.sums}
}

func (h *summing) Handle(ctx context.Context, r slog.Record) error {
	text := r.Message
	if i := strings.IndexAny(text, "0123456789"); i >= 0 {
		text = text[:i]
	}
	if h.sums.isFirst(kind{h, r.Level, text}, r) {
		return h.Handler.Handle(ctx, r)
	}
	return nil
}

// isFirst reports whether there was no such record of late. Else it counts the record.
func (s *sums) isFirst(k kind, r slog.Record) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[k] == nil && len(s.open) >= mostSums {
		k.text = ""
	}
	if known := s.open[k]; known != nil {
		known.last, known.count = r.Clone(), known.count+1
		return false
	}
	s.open[k] = &sum{}
	time.AfterFunc(sumFor, func() { s.write(k) })
	return true
}

// write writes what was counted of a kind, and forgets the kind if that is nothing.
func (s *sums) write(k kind) {
	s.mu.Lock()
	known := s.open[k]
	last, count := known.last, known.count
	if known.count = 0; count == 0 {
		delete(s.open, k)
	} else {
		time.AfterFunc(sumFor, func() { s.write(k) })
	}
	s.mu.Unlock()
	if count > 0 {
		last.AddAttrs(slog.Int("count", count))
		_ = k.handler.Handler.Handle(context.Background(), last) // there is nowhere to report it
	}
}
