package otelheadway_test

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

// The tables in the package's comment list all metrics with their kind and unit, and no others.
func TestTables(t *testing.T) {
	rows := []string{}
	p := play(t)
	for _, m := range slices.Concat(p.during.all, p.after.all) {
		if row := m.Name + " " + kind(t, m.Data) + " " + m.Unit; !slices.Contains(rows, row) {
			rows = append(rows, row)
		}
	}
	slices.Sort(rows)
	for _, row := range []struct{ file, pattern string }{
		{"doc.go", `(?m)^//\t(headway\S+) +(\w+) +(\S+)  .*$`},
		{"README.md", "(?m)^\\| `(headway\\S+)` \\| (\\w+), `(\\S+)` \\|.*$"},
	} {
		t.Run(row.file, func(t *testing.T) {
			text, err := os.ReadFile(row.file)
			require.NoError(t, err)
			var documented []string
			for _, match := range regexp.MustCompile(row.pattern).FindAllStringSubmatch(string(text), -1) {
				documented = append(documented, match[1]+" "+match[2]+" "+match[3])
			}
			slices.Sort(documented)
			require.Equal(t, rows, documented)
		})
	}
}

func kind(t *testing.T, data metricdata.Aggregation) string {
	t.Helper()
	switch data := data.(type) {
	case metricdata.Histogram[float64]:
		return "histogram"
	case metricdata.Sum[int64]:
		if data.IsMonotonic {
			return "counter"
		}
		return "updowncounter"
	case metricdata.Gauge[int64], metricdata.Gauge[float64]:
		return "gauge"
	}
	require.Failf(t, "unknown", "%T", data)
	return ""
}
