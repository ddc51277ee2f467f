package trial_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// writePart replaces the part of proxy.md in a folder that is between the marks <!-- name --> and <!-- /name -->. All
// else on the page is written by hand.
func writePart(t *testing.T, folder, name, table string) {
	t.Helper()
	file := filepath.Join(folder, "proxy.md")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	page, err := withPart(string(text), name, table)
	require.NoError(t, err, file)
	require.NoError(t, os.WriteFile(file, []byte(page), 0o644)) //nolint:gosec // readable for everybody
}

// withPart returns a page with another part between the marks of a name.
func withPart(page, name, part string) (string, error) {
	begin, end := "<!-- "+name+" -->\n", "<!-- /"+name+" -->\n"
	before, rest, begins := strings.Cut(page, begin)
	_, after, ends := strings.Cut(rest, end)
	if !begins || !ends {
		return "", fmt.Errorf("there is no place for the figures between %q and %q", begin, end)
	}
	return before + begin + "\n" + part + "\n\n" + end + after, nil
}

// Only the part between the marks changes.
func TestWithPart(t *testing.T) {
	const page = "before\n<!-- a -->\nold\n<!-- /a -->\n<!-- b -->\n<!-- /b -->\nafter\n"
	for _, row := range []struct{ name, page, part, want string }{
		{"a part with text", page, "a", "before\n<!-- a -->\n\nnew\n\n<!-- /a -->\n<!-- b -->\n<!-- /b -->\nafter\n"},
		{"an empty part", page, "b", "before\n<!-- a -->\nold\n<!-- /a -->\n<!-- b -->\n\nnew\n\n<!-- /b -->\nafter\n"},
		{"no marks", page, "c", ""},
		{"no end", "<!-- a -->\nold\n", "a", ""},
		{"the end first", "<!-- /a -->\n<!-- a -->\n", "a", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := withPart(row.page, row.part, "new")
			require.Equal(t, row.want == "", err != nil, err)
			require.Equal(t, row.want, got)
		})
	}
}
