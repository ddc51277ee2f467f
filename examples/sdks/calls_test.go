package sdks_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the table of README.md anew")

// TestCalls measures how often an SDK calls headway for one call by its user, and how many requests reach the
// server, with and without the recipe. The table in README.md must match. With -v the test prints the table,
// the time that each call took, and its error.
func TestCalls(t *testing.T) {
	columns := situations()
	table := [][]string{header(columns)}
	for _, r := range rows() {
		line := []string{r.sdk, r.use}
		t.Run(r.sdk+"/"+r.use, func(t *testing.T) {
			for _, s := range columns {
				o := measure(t, r, s)
				t.Logf("%s: %s, after %v: %v", s.name, o, o.took, o.err)
				line = append(line, o.String())
				if r.use != asItIs && !s.failure {
					require.Equal(t, 1, o.calls, "calls with the recipe: %s", s.name)
					require.False(t, o.late, "too late with the recipe: %s", s.name)
				}
			}
		})
		table = append(table, line)
	}
	text := markdown(table)
	t.Log("\n" + text)

	readme, err := os.ReadFile(readmeFile)
	require.NoError(t, err)
	before, told, after := cut(t, string(readme))
	if *update {
		require.NoError(t, os.WriteFile(readmeFile, []byte(before+text+after), 0o600))
		return
	}
	require.Equal(t, text, told, "the table of README.md; -update writes it anew")
}

const (
	readmeFile  = "README.md"
	beginMarker = "<!-- begin: go test -run TestCalls -update . -->\n"
	endMarker   = "<!-- end -->\n"
)

// cut returns the table between readme's markers, and the text before and after it with the markers.
func cut(t *testing.T, readme string) (before, table, after string) {
	t.Helper()
	before, rest, ok := strings.Cut(readme, beginMarker)
	require.True(t, ok, "README.md has no %q", beginMarker)
	table, after, ok = strings.Cut(rest, endMarker)
	require.True(t, ok, "README.md has no %q", endMarker)
	return before + beginMarker, table, endMarker + after
}

func header(columns []situation) []string {
	names := []string{"SDK", "client"}
	for _, s := range columns {
		names = append(names, s.name)
	}
	return names
}

// markdown formats a table whose first row is the head.
func markdown(table [][]string) string {
	rule := make([]string, len(table[0]))
	for i := range rule {
		rule[i] = "---"
	}
	var b strings.Builder
	for i, line := range table {
		b.WriteString("| " + strings.Join(line, " | ") + " |\n")
		if i == 0 {
			b.WriteString("| " + strings.Join(rule, " | ") + " |\n")
		}
	}
	return b.String()
}
