package otelheadway_test

import (
	"testing"

	"go.opentelemetry.io/otel/metric/noop"

	"github.com/headway-go/headway/internal/series/seriestest"
	"github.com/headway-go/headway/otelheadway"
)

func BenchmarkRoundTrip(b *testing.B) {
	m := &otelheadway.Meter{}
	_ = read(m)
	seriestest.Benchmark(b, "metrics=none", nil)
	seriestest.Benchmark(b, "metrics=noop", &otelheadway.Meter{Provider: noop.NewMeterProvider()})
	seriestest.Benchmark(b, "metrics=on", m)
}
