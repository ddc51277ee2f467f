package otelheadway_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/headway-go/headway/otelheadway"
)

// read gives the Meter a provider without a bound of its own, and returns its reader.
func read(m *otelheadway.Meter) *metric.ManualReader {
	reader := metric.NewManualReader()
	m.Provider = metric.NewMeterProvider(metric.WithReader(reader), metric.WithCardinalityLimit(0))
	return reader
}

// A point is one value of a metric. For a histogram it is the number of measurements, with their sum.
type point struct {
	attrs      attribute.Set
	value, sum float64
	exemplars  []metricdata.Exemplar[float64]
}

// metrics are the results of a collection: the points of each metric, by name.
type metrics struct {
	all    []metricdata.Metrics
	points map[string][]point
}

func collect(t *testing.T, reader metric.Reader) metrics {
	t.Helper()
	collected := metrics{points: make(map[string][]point)}
	for _, scope := range gather(t, reader).ScopeMetrics {
		require.Equal(t, otelheadway.ScopeName, scope.Scope.Name)
		require.NotEmpty(t, scope.Scope.SchemaURL)
		collected.all = append(collected.all, scope.Metrics...)
	}
	for _, m := range collected.all {
		collected.points[m.Name] = points(t, m.Data)
	}
	return collected
}

func gather(t *testing.T, reader metric.Reader) (gathered metricdata.ResourceMetrics) {
	t.Helper()
	require.NoError(t, reader.Collect(context.Background(), &gathered))
	return gathered
}

func points(t *testing.T, data metricdata.Aggregation) (all []point) {
	t.Helper()
	switch data := data.(type) {
	case metricdata.Sum[int64]:
		for _, p := range data.DataPoints {
			all = append(all, point{attrs: p.Attributes, value: float64(p.Value)})
		}
	case metricdata.Gauge[int64]:
		for _, p := range data.DataPoints {
			all = append(all, point{attrs: p.Attributes, value: float64(p.Value)})
		}
	case metricdata.Gauge[float64]:
		for _, p := range data.DataPoints {
			all = append(all, point{attrs: p.Attributes, value: p.Value})
		}
	case metricdata.Histogram[float64]:
		for _, p := range data.DataPoints {
			all = append(all, point{attrs: p.Attributes, value: float64(p.Count), sum: p.Sum, exemplars: p.Exemplars})
		}
	default:
		require.Failf(t, "unknown", "%T", data)
	}
	return all
}

// find returns the points of a metric that have all of these attributes.
func (m metrics) find(name string, attrs ...attribute.KeyValue) (found []point) {
	for _, p := range m.points[name] {
		all := true
		for _, want := range attrs {
			got, ok := p.attrs.Value(want.Key)
			all = all && ok && got == want.Value
		}
		if all {
			found = append(found, p)
		}
	}
	return found
}

// value returns the sum of the points of a metric that have these attributes; −1 if there are none.
func (m metrics) value(name string, attrs ...attribute.KeyValue) float64 {
	found := m.find(name, attrs...)
	if len(found) == 0 {
		return -1
	}
	sum := 0.0
	for _, p := range found {
		sum += p.value
	}
	return sum
}
