package bench_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A document has parts that tests write, each between <!-- name --> and <!-- /name -->.
type document string

func read(t *testing.T, file string) document {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return document(text)
}

// cut splits the document before and after the part between the marks of a name. The marks stay.
func (d document) cut(t *testing.T, name string) (before, between, after string) {
	t.Helper()
	begin, end := "<!-- "+name+" -->\n", "<!-- /"+name+" -->\n"
	before, rest, begins := strings.Cut(string(d), begin)
	between, after, ends := strings.Cut(rest, end)
	require.True(t, begins && ends, "there is no place for the figures between %s and %s", begin, end)
	return before + begin, between, end + after
}

func (d document) between(t *testing.T, name string) string {
	t.Helper()
	_, between, _ := d.cut(t, name)
	return between
}

// replaced returns a file's text with another part between the marks of a name.
func replaced(t *testing.T, file, name, with string) []byte {
	t.Helper()
	before, _, after := read(t, file).cut(t, name)
	return []byte(before + with + after)
}

// writeAll writes files for all to read.
func writeAll(t *testing.T, files map[string][]byte) {
	t.Helper()
	for name, content := range files {
		require.NoError(t, os.WriteFile(name, content, 0o644)) //nolint:gosec // documents are public
	}
}
