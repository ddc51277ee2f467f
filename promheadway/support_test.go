package promheadway_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/promheadway"
	"github.com/headway-go/headway/ratelimittest"
)

const (
	testURL       = "https://api.example.com/things"
	testPartition = "https://api.example.com"
)

// answering is a server in memory that always answers with that status and these pairs
// of name and value.
func answering(status int, fields ...string) *ratelimittest.Transport {
	return &ratelimittest.Transport{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(fields); i += 2 {
			w.Header().Add(fields[i], fields[i+1])
		}
		w.WriteHeader(status)
	})}
}

// byHost hands each request to the server of its host.
type byHost map[string]http.RoundTripper

func (b byHost) RoundTrip(req *http.Request) (*http.Response, error) {
	return b[req.URL.Host].RoundTrip(req)
}

// instrumented returns a Transport over base whose metrics are in a registry of their own.
func instrumented(t *testing.T, c *promheadway.Collector, base http.RoundTripper) (*headway.Transport, *prometheus.Registry) {
	t.Helper()
	transport := &headway.Transport{Base: base, Jitter: -1}
	require.NoError(t, c.Instrument(transport, ""))
	registry := prometheus.NewPedanticRegistry()
	require.NoError(t, registry.Register(c))
	return transport, registry
}

func get(ctx context.Context, via http.RoundTripper, url string, fields ...string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	for i := 0; i < len(fields); i += 2 {
		req.Header.Set(fields[i], fields[i+1])
	}
	resp, err := via.RoundTrip(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// families are metrics by their names.
type families map[string]*dto.MetricFamily

// gather is what a registry has now.
func gather(t *testing.T, from prometheus.Gatherer) families {
	t.Helper()
	gathered, err := from.Gather()
	require.NoError(t, err)
	byName := make(families)
	for _, f := range gathered {
		byName[f.GetName()] = f
	}
	return byName
}

// scrape is what a real endpoint serves over loopback, parsed.
func scrape(t *testing.T, from prometheus.Gatherer) families {
	t.Helper()
	server := httptest.NewServer(promhttp.HandlerFor(from, promhttp.HandlerOpts{}))
	defer server.Close()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
	require.NoError(t, err)
	resp, err := server.Client().Do(req)
	require.NoError(t, err)
	defer func() { _ = resp.Body.Close() }()
	require.Equal(t, http.StatusOK, resp.StatusCode)
	parser := expfmt.NewTextParser(model.UTF8Validation)
	parsed, err := parser.TextToMetricFamilies(resp.Body)
	require.NoError(t, err)
	return parsed
}

// gathered serves again what was gathered, such as in a bubble.
func (f families) Gather() ([]*dto.MetricFamily, error) {
	var all []*dto.MetricFamily
	for _, family := range f {
		all = append(all, family)
	}
	return all, nil
}

// find returns the metric of that name with these pairs of label and value among its
// labels, nil if there is none. There must not be two.
func (f families) find(t *testing.T, name string, labels ...string) *dto.Metric {
	t.Helper()
	var found *dto.Metric
	for _, m := range f[name].GetMetric() {
		has := labelsOf(m)
		ok := true
		for i := 0; i < len(labels); i += 2 {
			ok = ok && has[labels[i]] == labels[i+1]
		}
		if ok {
			require.Nil(t, found, "two metrics %s with %v", name, labels)
			found = m
		}
	}
	return found
}

func labelsOf(m *dto.Metric) map[string]string {
	labels := make(map[string]string)
	for _, l := range m.GetLabel() {
		labels[l.GetName()] = l.GetValue()
	}
	return labels
}

// value is that of a counter or a gauge, or the number of observations; −1 if there is
// no such metric.
func (f families) value(t *testing.T, name string, labels ...string) float64 {
	t.Helper()
	m := f.find(t, name, labels...)
	switch {
	case m == nil:
		return -1
	case m.Counter != nil:
		return m.GetCounter().GetValue()
	case m.Histogram != nil:
		return float64(m.GetHistogram().GetSampleCount())
	}
	return m.GetGauge().GetValue()
}

// values are those of one label of a metric.
func (f families) values(name, label string) map[string]int {
	values := make(map[string]int)
	for _, m := range f[name].GetMetric() {
		values[labelsOf(m)[label]]++
	}
	return values
}

// total is the sum of the values of all such counters.
func (f families) total(name string, labels ...string) float64 {
	sum := 0.0
	for _, m := range f[name].GetMetric() {
		has := labelsOf(m)
		for i := 0; i < len(labels); i += 2 {
			if has[labels[i]] != labels[i+1] {
				has = nil
				break
			}
		}
		if has != nil {
			sum += m.GetCounter().GetValue()
		}
	}
	return sum
}
