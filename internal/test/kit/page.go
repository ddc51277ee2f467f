package kit

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/page"
)

// RequireTable requires that the part of a page between the marks of a name is this table. With write it writes the table
// there instead.
func RequireTable(tb testing.TB, folder page.Folder, name, mark string, rows [][]string, write bool) {
	tb.Helper()
	table := "\n" + page.Table(rows) + "\n\n"
	if write {
		require.NoError(tb, folder.Replace(name, mark, table))
		return
	}
	text, err := folder.Read(name)
	require.NoError(tb, err)
	part, err := page.Part(text, mark)
	require.NoError(tb, err)
	require.Equal(tb, table, part, "%s is not of today: its source says how to write it", name)
}

// RequireRowsTested requires that tests hold each row of the table in the section "When something goes wrong" of a page.
// tests has their names by the row's first cell. They are in these folders.
func RequireRowsTested(tb testing.TB, file string, tests map[string][]string, folders ...string) {
	tb.Helper()
	text, err := os.ReadFile(file) //nolint:gosec // the test names it
	require.NoError(tb, err)
	_, section, isThere := strings.Cut(string(text), "\n## When something goes wrong\n")
	require.True(tb, isThere, file)
	section, _, _ = strings.Cut(section, "\n## ")
	var rows []string
	for _, row := range regexp.MustCompile(`(?m)^\| ([^-].*?) \|`).FindAllStringSubmatch(section, -1)[1:] {
		rows = append(rows, row[1])
	}
	require.ElementsMatch(tb, slices.Collect(maps.Keys(tests)), rows)
	var source strings.Builder
	for _, folder := range folders {
		files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
		require.NoError(tb, err)
		for _, file := range files {
			text, err := os.ReadFile(file) //nolint:gosec // a file of the module
			require.NoError(tb, err)
			source.Write(text)
		}
	}
	for row, names := range tests {
		for _, name := range names {
			require.Contains(tb, source.String(), "\nfunc "+name+"(t *testing.T) {", row)
		}
	}
}
