package proxy

import (
	"fmt"
	"net/http"
	"net/netip"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
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

// counters are metrics of the proxy itself, besides those of promheadway.
type counters struct {
	registry            *prometheus.Registry
	responses, failures *prometheus.CounterVec
	answers             *prometheus.HistogramVec
	storeUp             prometheus.Gauge // of the fleet
}

func newCounters() *counters {
	registry := prometheus.NewRegistry()
	auto := promauto.With(registry)
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return auto.NewCounterVec(prometheus.CounterOpts{Name: "headway_proxy_" + name, Help: help}, labels)
	}
	c := &counters{
		registry:  registry,
		responses: counter("responses_total", "Responses to clients, also those of the proxy itself; upstream is empty where none was asked.", "upstream", "code"),
		failures:  counter("upstream_failures_total", "Requests that an upstream did not answer in full.", "upstream", "reason"),
		answers: auto.NewHistogramVec(prometheus.HistogramOpts{
			Name: "headway_proxy_upstream_response_seconds", Help: "Time from the sending of a request to the fields of the response.",
			Buckets: []float64{.003, .01, .03, .1, .3, 1, 3, 10, 30, 60},
		}, []string{"upstream"}),
		storeUp: prometheus.NewGauge(prometheus.GaugeOpts{Name: "headway_proxy_fleet_store_up", Help: "Whether the store of the fleet can be reached: 1 or 0."}),
	}
	c.storeUp.Set(1)
	return c
}

// begin lets the series of an upstream begin, at 0, so that a rate includes the first event. It returns that of the time until
// responses begin, in seconds.
func (c *counters) begin(upstream string) prometheus.ObserverVec {
	for _, reason := range []string{failedConnect, failedDNS, failedTLS, failedTimeout, failedBroken, failedLoop} {
		c.failures.WithLabelValues(upstream, reason)
	}
	c.answers.WithLabelValues(upstream)
	return c.answers.MustCurryWith(prometheus.Labels{"upstream": upstream})
}

// registerAll registers what is there besides counters: promheadway's metrics, those of Go, and those of the moment.
func (p *proxy) registerAll() {
	r := p.counters.registry
	gauge := func(name, help string, value func() int) {
		options := prometheus.GaugeOpts{Name: "headway_proxy_" + name, Help: "The number of " + help + "."}
		r.MustRegister(prometheus.NewGaugeFunc(options, func() float64 { return float64(value()) }))
	}
	r.MustRegister(&p.metrics, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	gauge("connections_busy", "connections with a request", func() int { busy, _ := p.clients.places(); return busy })
	gauge("connections_idle", "connections between two requests", func() int { _, idle := p.clients.places(); return idle })
	gauge("connections_max", "connections that there may be", func() int { return p.clients.most })
	gauge("content_bytes", "bytes of content that are kept for a resend", func() int { return int(p.budget.kept.Load()) })
	gauge("content_bytes_max", "bytes of content that may be kept", func() int { return int(p.budget.most) })
	if p.fleet != nil {
		gauge("fleet_members", "members of the fleet that share quotas, this one included", p.members)
		r.MustRegister(p.counters.storeUp)
	}
}

// members is the largest number of members that share a partition.
func (p *proxy) members() (most int) {
	for _, u := range p.server.Load().upstreams {
		for _, partition := range u.transport.State() {
			most = max(most, partition.Members)
		}
	}
	return most
}
