package proxy

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

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
