package proxy

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/headway-go/headway/internal/identity"
)

// An exchange is a request of a client and what belongs to it. It writes the response.
type exchange struct {
	http.ResponseWriter

	control   *http.ResponseController // of ResponseWriter
	began     time.Time
	upstream  *upstream     // nil: none
	partition string        // "": it has not come so far
	wait      time.Duration // for its turn

	header    http.Header // the client's fields, with those that the upstream does not get
	recording *recording  // nil: the request has no content
	baseURL   string      // of the upstream, as the client writes it

	isLast bool // the connection ends with the response
	status int  // of the response; 0: it has not begun
}

// isOpen reports whether the client is still sending.
func (x *exchange) isOpen() bool { return x.recording != nil && !x.recording.isWhole() }

type exchangeKey struct{}

func exchangeOf(ctx context.Context) *exchange {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	return x
}

// WriteHeader is also for interim responses. net/http would guess a missing Content-Type.
func (x *exchange) WriteHeader(status int) {
	if _, isSet := x.Header()["Content-Type"]; !isSet && status >= http.StatusOK {
		x.Header()["Content-Type"] = nil
	}
	if x.isLast && status >= http.StatusOK { // interim responses clear the header
		x.Header().Set("Connection", "close")
	}
	if status >= http.StatusOK || status == http.StatusSwitchingProtocols {
		x.status = status
	} else if x.upstream != nil {
		x.upstream.rewriteLinks(x.Header(), x.baseURL)
	}
	x.ResponseWriter.WriteHeader(status)
}

func (x *exchange) Write(p []byte) (int, error) {
	n, err := x.ResponseWriter.Write(p)
	if err == nil && x.upstream != nil { // httputil flushes only responses without a length
		err = x.control.Flush()
	}
	return n, err
}

// Unwrap returns the ResponseWriter of net/http's server, for http.ResponseController.
func (x *exchange) Unwrap() http.ResponseWriter { return x.ResponseWriter }

// end reports a request that has got its response. isWhole is false if the response broke off.
func (s *server) end(x *exchange, r *http.Request, isWhole bool) {
	name, status := "", cmp.Or(x.status, statusClientGone)
	if x.upstream != nil {
		name = x.upstream.Name
	}
	s.proxy.counters.responses.WithLabelValues(name, strconv.Itoa(status)).Inc()
	if !isWhole && r.Context().Err() == nil {
		s.proxy.counters.failures.WithLabelValues(name, failedBroken).Inc()
	}
	if s.access == nil {
		return
	}
	attrs := append(make([]slog.Attr, 0, 10),
		slog.String("upstream", name), slog.String("method", r.Method[:min(len(r.Method), longest)]), slog.String("path", identity.Template(r.URL.EscapedPath())),
		slog.Int("status", status), slog.Float64("seconds", seconds(time.Since(x.began))), slog.Float64("wait_seconds", seconds(x.wait)))
	if id := requestID(r.Header, x.Header()); id != "" {
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
	longest = 128 // bytes of an ID or a method in the log
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
