package proxy

import (
	"io"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/debug"
	"github.com/headway-go/headway/promheadway"
)

// The paths of the proxy itself. All other paths are the upstreams', also those below /-/, which some servers use.
const (
	debugPath   = "/-/headway"
	metricsPath = "/-/metrics"
	healthPath  = "/-/healthz"
)

// ownPages makes the pages of the proxy itself. Call it before the upstreams are used, as it begins to count their events.
func ownPages(upstreams []*upstream) (map[string]http.Handler, error) {
	transports := make(map[string]*headway.Transport, len(upstreams))
	metrics := &promheadway.Collector{}
	for _, u := range upstreams {
		transports[u.Name] = u.transport
		if err := metrics.Instrument(u.transport, u.Name); err != nil {
			return nil, err
		}
	}
	registry := prometheus.NewRegistry()
	for _, c := range []prometheus.Collector{
		metrics, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	} {
		if err := registry.Register(c); err != nil {
			return nil, err
		}
	}
	return map[string]http.Handler{
		debugPath:   &debug.Handler{Transports: transports},
		metricsPath: promhttp.HandlerFor(registry, promhttp.HandlerOpts{}),
		healthPath:  http.HandlerFunc(healthy),
	}, nil
}

// healthy says that the proxy serves. A proxy that stops answers 503 instead, to everything.
func healthy(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = io.WriteString(w, "ok\n") // fails if the client is gone
}
