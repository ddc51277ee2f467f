package otelheadway_test

import (
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// The package's comment and its README have all metrics.
func TestMetricsAreDocumented(t *testing.T) {
	p := play(t)
	for _, file := range []string{"doc.go", "README.md"} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, m := range slices.Concat(p.during.all, p.after.all) {
			require.Regexp(t, m.Name+`\b[^.\w]`, string(text), file)
		}
	}
}
