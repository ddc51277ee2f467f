package promheadway_test

import (
	"testing"

	"github.com/headway-go/headway/internal/series/seriestest"
	"github.com/headway-go/headway/promheadway"
)

func BenchmarkRoundTrip(b *testing.B) {
	seriestest.Benchmark(b, "metrics=none", nil)
	seriestest.Benchmark(b, "metrics=on", &promheadway.Collector{})
}
