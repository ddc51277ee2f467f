package promheadway_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/promheadway"
)

// registered returns a new registry with the Collector.
func registered(t *testing.T, c *promheadway.Collector) *prometheus.Registry {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	require.NoError(t, registry.Register(c))
	return registry
}

// families are metrics, by name.
type families map[string]*dto.MetricFamily

// gather returns what a registry has now.
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

// scrape returns the metrics that a real endpoint serves over loopback, parsed.
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

// Gather implements [prometheus.Gatherer], for metrics that were gathered before.
func (f families) Gather() ([]*dto.MetricFamily, error) {
	var all []*dto.MetricFamily
	for _, family := range f {
		all = append(all, family)
	}
	return all, nil
}

// find returns the metric of that name that has these pairs of label and value; nil if there is none. There
// must not be two.
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

// value returns the value of a counter or a gauge, or the number of observations; −1 if there is no such
// metric.
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

// total returns the sum of all counters or gauges of that name.
func (f families) total(name string) float64 {
	sum := 0.0
	for _, m := range f[name].GetMetric() {
		sum += m.GetCounter().GetValue() + m.GetGauge().GetValue()
	}
	return sum
}
