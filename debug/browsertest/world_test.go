package browsertest

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/debug"
	"github.com/headway-go/headway/ratelimittest"
)

const poll = 20 * time.Millisecond

// hostile is a hostile name of a partition or a policy.
const hostile = "<img src=x onerror=hacked()>\u202e<script>hacked()</script>"

// A world is a program whose requests to APIs on loopback are limited. It serves the page about them.
type world struct {
	*httptest.Server // serves the page

	broken    atomic.Int32 // the status instead of the page; 0: the page is served
	transport *headway.Transport
	clients   sync.WaitGroup
	stop      context.CancelFunc
	ctx       context.Context
}

// newWorld returns a world in which requests to some APIs are paced, wait, or are held.
func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{}
	w.ctx, w.stop = context.WithCancel(t.Context())
	apis := httptest.NewServer(byHost(apis()))
	w.transport = &headway.Transport{Base: toServer(apis), Partition: partition}
	w.Server = httptest.NewServer(w.mux())
	t.Cleanup(func() {
		w.stop()
		w.clients.Wait()
		w.Close()
		w.transport.CloseIdleConnections()
		apis.Close()
	})

	w.keepSending("maps.example.com", "/tiles", 4)
	w.keepSending("search.example.com", "/search", 3)
	w.keepSending("files.example.com", "/files", 1)
	w.keepSending("llm.example.com", "/v1/messages", 2)
	w.sendAtOnce("reports.example.com", "/report", 14)
	w.sendAtOnce("mail.example.com", "/send", 4)
	w.sendAtOnce("status.example.com", "/", 1)
	w.await(t, w.isLively)
	return w
}

// await waits until what returns true.
func (w *world) await(t *testing.T, what func() bool) {
	t.Helper()
	require.Eventually(t, what, 10*time.Second, poll)
}

// apis returns rate-limiting servers, by host. Other hosts have no limits.
func apis() map[string]http.Handler {
	several := ratelimittest.All(
		&ratelimittest.FixedWindow{Policy: ratelimittest.Per(50, 10*time.Second)},
		&ratelimittest.Linear{Policy: ratelimittest.Policy{Name: "hourly", Quota: 9000, Window: time.Hour}},
	)
	held := &ratelimittest.Handler{Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Policy{Quota: 0, Window: time.Hour}}, Dialect: ratelimittest.Silent}
	held.RetryAfter = func(h http.Header, _ time.Time, _ ratelimittest.Decision) { h.Set("Retry-After", "90") }
	llm := &ratelimittest.Handler{Limiter: &ratelimittest.Linear{Policy: ratelimittest.Per(100, time.Minute)}, Dialect: ratelimittest.Fields("X-RateLimit-Limit: {limit}", "X-RateLimit-Remaining: {remaining}", "X-RateLimit-Reset: {reset}")}
	llm.Next = http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { pause(r.Context(), 700*time.Millisecond) })
	return map[string]http.Handler{
		"maps.example.com":    &ratelimittest.Handler{Limiter: several, Dialect: ratelimittest.Draft10},
		"search.example.com":  &ratelimittest.Handler{Limiter: &ratelimittest.TokenBucket{Policy: ratelimittest.Policy{Name: "search", Quota: 300, Window: time.Minute}, Capacity: 30}, Dialect: ratelimittest.Draft10},
		"llm.example.com":     llm,
		"reports.example.com": &ratelimittest.Handler{Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Policy{Name: "reports", Quota: 6, Window: time.Minute}}, Dialect: ratelimittest.Draft10},
		"mail.example.com":    held,
		"hostile.example.com": &ratelimittest.Handler{Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Policy{Name: "<script>hacked()</script>", Quota: 100, Window: time.Minute}}, Dialect: ratelimittest.Draft10},
	}
}

func byHost(apis map[string]http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if api := apis[r.Host]; api != nil {
			api.ServeHTTP(w, r)
		}
	})
}

// toServer returns a RoundTripper that sends requests for any host to one server.
func toServer(s *httptest.Server) *http.Transport {
	var dialer net.Dialer
	return &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return dialer.DialContext(ctx, network, s.Listener.Addr().String())
	}}
}

func partition(req *http.Request) string {
	if strings.HasPrefix(req.URL.Host, "hostile.") {
		return hostile
	}
	return headway.DefaultPartition(req)
}

func (w *world) mux() http.Handler {
	page := &debug.Handler{Transports: map[string]*headway.Transport{"": w.transport}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /debug/headway", func(rw http.ResponseWriter, r *http.Request) {
		switch status := int(w.broken.Load()); status {
		case 0:
			page.ServeHTTP(rw, r)
		case http.StatusFound:
			http.Redirect(rw, r, "/password", status)
		default:
			rw.WriteHeader(status)
		}
	})
	mux.HandleFunc("GET /password", func(rw http.ResponseWriter, _ *http.Request) { _, _ = rw.Write([]byte("<main>Who are you?</main>")) })
	return mux
}

// keepSending sends requests for ever, with so many workers.
func (w *world) keepSending(host, path string, workers int) {
	for range workers {
		w.clients.Go(func() {
			for w.ctx.Err() == nil {
				w.send(host, path)
				pause(w.ctx, 100*time.Millisecond)
			}
		})
	}
}

func (w *world) sendAtOnce(host, path string, n int) {
	for range n {
		w.clients.Go(func() { w.send(host, path) })
	}
}

// send sends a request and ignores the outcome.
func (w *world) send(host, path string) {
	req, err := http.NewRequestWithContext(w.ctx, http.MethodGet, "http://"+host+path, http.NoBody)
	if err != nil {
		return
	}
	req.Header.Set("Authorization", "Bearer secret-of-"+host)
	if resp, err := w.transport.RoundTrip(req); err == nil {
		_ = resp.Body.Close()
	}
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// isLively reports whether all APIs have responded, requests wait, and one partition is held.
func (w *world) isLively() bool {
	var waiting, held bool
	states := w.transport.State()
	for i := range states {
		waiting = waiting || states[i].Waiting > 5
		held = held || !states[i].HeldUntil.IsZero()
	}
	return waiting && held && len(states) == 7
}
