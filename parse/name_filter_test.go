package parse

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFiltersKeepAllNames checks that the filters by letters accept all names in name.go and vendor.go.
func TestFiltersKeepAllNames(t *testing.T) {
	known := 0
	for _, file := range []string{"names.go"} {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, literal := range regexp.MustCompile(`"([a-z0-9-]+)"`).FindAllStringSubmatch(string(source), -1) {
			for _, name := range []string{literal[1], literal[1] + "limit", literal[1] + "any-endpoint"} {
				if identify(name).family != 0 {
					known++
					require.True(t, hasKnownLetter(name) && mayBeKnown(name), name)
				}
			}
		}
	}
	require.GreaterOrEqual(t, known, 60)
}
