package validate_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/validate"
)

// Fewer files or cases mean that some are missing or not read.
const (
	minCorpusFiles = 250
	minCorpusCases = 688
)

// TestCorpus reads responses of real servers: every file of testdata/corpus, one for each vendor, gateway
// or library. The comment on corpusCase describes the files. A new case needs no code.
func TestCorpus(t *testing.T) {
	files, err := filepath.Glob("../testdata/corpus/*.txt")
	require.NoError(t, err)
	total := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		cases, err := readCorpus(string(text))
		total += len(cases)
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			require.NoError(t, err)
			for i := range cases {
				t.Run(cases[i].title, cases[i].check)
			}
		})
	}
	require.GreaterOrEqual(t, len(files), minCorpusFiles, "files")
	require.GreaterOrEqual(t, total, minCorpusCases, "cases")
}

func (c *corpusCase) check(t *testing.T) {
	reading := validate.Response(c.response, c.received, validate.Bounds{}, c.profiles...)
	require.Equal(t, c.want, render(&reading))
}

// render writes r in the notation of the corpus, with a line for each thing that it reports.
func render(r *validate.Reading) string {
	var lines []string
	if r.Throttled {
		lines = append(lines, "throttled")
	}
	if r.Cached {
		lines = append(lines, "cached")
	}
	if r.RetryAfter != validate.Unknown {
		lines = append(lines, "retry-after "+r.RetryAfter.String())
	}
	if r.Violated != nil {
		lines = append(lines, "violated "+strings.Join(r.Violated, " "))
	}
	for i := range r.Limits {
		lines = append(lines, renderLimit(&r.Limits[i]))
	}
	for _, p := range r.Problems {
		lines = append(lines, fmt.Sprintf("problem %s: %s", p.Field, p.Reason))
	}
	return strings.Join(lines, "\n")
}

func renderLimit(l *limits.Reported) string {
	line := fmt.Sprintf("limit %q", l.Policy)
	if l.PartitionKey != "" {
		line += " key=" + l.PartitionKey
	}
	if l.Unit != limits.Requests {
		line += " unit=" + string(l.Unit)
	}
	line += ifKnown(" q=", l.Quota) + ifKnown(" r=", l.Remaining) + ifKnown(" w=", l.Window) + ifKnown(" t=", l.Reset)
	if l.Cost > 0 {
		line += fmt.Sprintf(" cost=%d", l.Cost)
	}
	return line
}

func ifKnown[T int64 | time.Duration](label string, v T) string {
	if v == validate.Unknown {
		return ""
	}
	return label + fmt.Sprint(v)
}
