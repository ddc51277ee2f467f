package debug_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/debug"
)

// The JSON example in the package comment is a valid Report.
func TestDocumentedReport(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	example := "{" + between(t, string(text), "//\n//	{", "//\n// # Costs")
	decoder := json.NewDecoder(strings.NewReader(strings.ReplaceAll(example, "\n//", "\n")))
	decoder.DisallowUnknownFields()
	var report debug.Report
	require.NoError(t, decoder.Decode(&report))
	require.Equal(t, debug.Version, report.Version)
	require.EqualValues(t, 41, *report.Transports[0].Partitions[0].Limits[0].Remaining)
}
