package proxy

import (
	"fmt"
	"net/http"
	"net/netip"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/debug"
)

// The paths of the proxy itself, at Config.AdminListen.
const (
	debugPath   = "/"
	metricsPath = "/metrics"
	healthPath  = "/healthz"
	readyPath   = "/readyz"
)

// mostAdmins bounds the connections to the proxy itself. They need no place of the clients, so they always find one.
const mostAdmins = 64

// ownPages returns the pages of the proxy itself. Those of health tell nothing, and are for all that reach them.
func (p *proxy) ownPages() http.Handler {
	pages := http.NewServeMux()
	pages.HandleFunc("GET "+healthPath, func(w http.ResponseWriter, _ *http.Request) { say(w, http.StatusOK, "ok") })
	pages.HandleFunc("GET "+readyPath, p.ready)
	pages.Handle("GET "+metricsPath, p.guarded(promhttp.HandlerFor(p.counters.registry, promhttp.HandlerOpts{})))
	pages.Handle("GET "+debugPath+"{$}", p.guarded(http.HandlerFunc(p.state)))
	return pages
}

// guarded lets in whom the proxy lets in. A page on the web cannot have given an address to the proxy as a name, so addresses
// are as good as names here: Prometheus asks by them.
func (p *proxy) guarded(page http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked := r.Clone(r.Context())
		if _, err := netip.ParseAddr(hostname(r.Host)); err == nil {
			asked.Host = "localhost"
		}
		if refusal := p.server.Load().refusalOf(asked); refusal != nil {
			refusal.answer(w, r)
			return
		}
		page.ServeHTTP(w, r)
	})
}

// ready says whether a new request would be taken.
func (p *proxy) ready(w http.ResponseWriter, _ *http.Request) {
	busy, _ := p.clients.places()
	text, status := fmt.Sprintf("%d of %d places are taken", busy, p.clients.most), http.StatusOK
	if busy >= p.clients.most {
		status = http.StatusServiceUnavailable
	}
	if p.isStopping.Load() {
		text, status = "the proxy stops", http.StatusServiceUnavailable
	}
	say(w, status, text)
}

func (p *proxy) state(w http.ResponseWriter, r *http.Request) {
	transports := map[string]*headway.Transport{}
	for _, u := range p.server.Load().upstreams {
		transports[u.Name] = u.transport
	}
	(&debug.Handler{Transports: transports}).ServeHTTP(w, r)
}

func say(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = fmt.Fprintln(w, text) // fails if the client is gone
}
