package proxy

import (
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
)

// counters are metrics of the proxy itself, besides those of promheadway.
type counters struct {
	responses, failures *prometheus.CounterVec
	answers             *prometheus.HistogramVec
	isStoreLost         atomic.Bool // of the fleet
}

func newCounters() *counters {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: "headway_proxy_" + name, Help: help}, labels)
	}
	return &counters{
		responses: counter("responses_total", "Responses to clients, also those of the proxy itself; upstream is empty where none was asked.", "upstream", "code"),
		failures:  counter("upstream_failures_total", "Requests that an upstream did not answer in full.", "upstream", "reason"),
		answers: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "headway_proxy_upstream_response_seconds", Help: "Time from the sending of a request to the fields of the response.",
			Buckets: []float64{.003, .01, .03, .1, .3, 1, 3, 10, 30, 60},
		}, []string{"upstream"}),
	}
}

// begin lets the series of an upstream begin, at 0, so that a rate includes the first event. It returns the
// one of the time until responses begin, in seconds.
func (c *counters) begin(upstream string) prometheus.Observer {
	for _, reason := range []string{failedConnect, failedDNS, failedTLS, failedTimeout, failedBroken, failedLoop} {
		c.failures.WithLabelValues(upstream, reason)
	}
	return c.answers.WithLabelValues(upstream)
}

// forget ends the series of an upstream.
func (c *counters) forget(upstream string) {
	labels := prometheus.Labels{"upstream": upstream}
	c.responses.DeletePartialMatch(labels)
	c.failures.DeletePartialMatch(labels)
	c.answers.DeletePartialMatch(labels)
}

// collectors returns the metrics, with those of the moment.
func (p *proxy) collectors() []prometheus.Collector {
	all := []prometheus.Collector{
		p.counters.responses, p.counters.failures, p.counters.answers,
		p.gauge("content_bytes", "bytes of content that are kept for a resend", func() int { return int(p.budget.most - p.budget.left.Load()) }),
		p.gauge("content_bytes_max", "bytes of content that may be kept", func() int { return int(p.budget.most) }),
	}
	if p.fleet == nil {
		return all
	}
	return append(all,
		p.gauge("fleet_members", "members of the fleet that share quotas, this one included", p.members),
		p.gauge("fleet_store_up", "stores of the fleet that can be reached", func() int {
			if p.counters.isStoreLost.Load() {
				return 0
			}
			return 1
		}))
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
