package promheadway_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// The package's comment and its README have all metrics.
func TestMetricsAreDocumented(t *testing.T) {
	p := play(t)
	for _, file := range []string{"doc.go", "README.md"} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, metrics := range []families{p.during, p.after} {
			for name := range metrics {
				require.Regexp(t, `\b`+name+`\b`, string(text), file)
			}
		}
	}
}
