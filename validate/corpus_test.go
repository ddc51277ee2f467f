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

// TestCorpus reads responses of real servers: every file of testdata/corpus, one for each vendor, gateway
// or library. A new case needs no code.
func TestCorpus(t *testing.T) { checkCases(t, "../testdata/corpus/*.txt", 688) }

// TestRules reads responses that show one rule each, such as what a negative number means.
func TestRules(t *testing.T) { checkCases(t, "../testdata/rules/*.txt", 187) }

// checkCases checks the cases of all files. The comment on corpusCase describes them. Fewer cases mean that some are not read.
func checkCases(t *testing.T, pattern string, least int) {
	t.Helper()
	files, err := filepath.Glob(pattern)
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
	require.GreaterOrEqual(t, total, least)
}

func (c *corpusCase) check(t *testing.T) {
	reading := validate.Response(c.response, c.received, validate.Bounds{}, c.profiles...)
	reading.ReadBody([]byte(c.body))
	require.Equal(t, c.want, render(&reading))
}

// render writes r in the notation of the corpus, with a line for each thing that it reports.
func render(r *validate.Reading) string {
	var lines []string
	switch r.Verdict {
	case validate.VerdictNone:
	case validate.VerdictNever:
		lines = append(lines, "never "+r.Sign)
	default:
		lines = append(lines, strings.TrimSpace("throttled "+r.Sign))
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
