package proxy

import (
	"context"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/headway-go/headway/internal/identity"
)

// A report is what the metrics and the access log say of a request.
type report struct {
	began     time.Time
	upstream  string        // "": none
	partition string        // "": it has not come so far
	wait      time.Duration // for its turn
}

// end reports a request that has got its response. isWhole is false if the response broke off.
func (s *server) end(x *exchange, r *http.Request, w *responseWriter, isWhole bool) {
	status := w.status
	if status == 0 {
		status = statusClientGone
	}
	s.counters.responses.WithLabelValues(x.upstream, strconv.Itoa(status)).Inc()
	if !isWhole && r.Context().Err() == nil {
		s.counters.failures.WithLabelValues(x.upstream, failedBroken).Inc()
	}
	if s.access == nil {
		return
	}
	attrs := append(make([]slog.Attr, 0, 10),
		slog.String("upstream", x.upstream), slog.String("method", r.Method), slog.String("path", identity.Template(r.URL.EscapedPath())),
		slog.Int("status", status), slog.Float64("seconds", seconds(time.Since(x.began))), slog.Float64("wait_seconds", seconds(x.wait)))
	if id := requestID(r.Header, w.Header()); id != "" {
		attrs = append(attrs, slog.String("request_id", id))
	}
	if x.partition != "" {
		attrs = append(attrs, slog.String("partition", x.partition))
	}
	if !isWhole {
		attrs = append(attrs, slog.Bool("broke_off", true))
	}
	s.access.LogAttrs(context.WithoutCancel(r.Context()), slog.LevelInfo, "request", attrs...)
}

const (
	idField = "X-Request-Id"
	longest = 128 // bytes of an ID in the log
)

// requestID is the ID by which a client knows its request, or else the upstream.
func requestID(request, response http.Header) string {
	for _, h := range []http.Header{request, response} {
		if id := h.Get(idField); id != "" && len(id) <= longest && isVisible(id) {
			return id
		}
	}
	return ""
}
