package page_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/page"
)

func TestDocs(t *testing.T) {
	root := t.TempDir()
	below := filepath.Join(root, "a", "b")
	require.NoError(t, os.MkdirAll(below, 0o750))
	t.Chdir(below)
	_, err := page.Figures()
	require.ErrorIs(t, err, page.ErrNoDocs)

	figures := filepath.Join(root, "docs", "figures")
	require.NoError(t, os.MkdirAll(figures, 0o750))
	found, err := page.Figures()
	require.NoError(t, err)
	require.NoError(t, found.Write("a.md", "text"))
	require.FileExists(t, filepath.Join(figures, "a.md"))
}

// Only the part between the marks changes.
func TestWithPart(t *testing.T) {
	const text = "before\n<!-- a -->\nold\n<!-- /a -->\n<!-- b -->\n<!-- /b -->\nafter\n"
	for _, row := range []struct{ name, page, mark, part, want string }{
		{"a part with text", text, "a", "old\n", "before\n<!-- a -->\nnew\n<!-- /a -->\n<!-- b -->\n<!-- /b -->\nafter\n"},
		{"an empty part", text, "b", "", "before\n<!-- a -->\nold\n<!-- /a -->\n<!-- b -->\nnew\n<!-- /b -->\nafter\n"},
		{"no marks", text, "c", "", ""},
		{"no end", "<!-- a -->\nold\n", "a", "", ""},
		{"the end first", "<!-- /a -->\n<!-- a -->\n", "a", "", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := page.WithPart(row.page, row.mark, "new\n")
			require.Equal(t, row.want, got)
			folder := page.Folder(t.TempDir())
			require.NoError(t, folder.Write("page.md", row.page))
			if row.want == "" {
				require.Error(t, err)
				require.Error(t, folder.Replace("page.md", row.mark, "new\n"))
				return
			}
			require.NoError(t, err)
			part, err := page.Part(row.page, row.mark)
			require.NoError(t, err)
			require.Equal(t, row.part, part)
			require.NoError(t, folder.Replace("page.md", row.mark, "new\n"))
			written, err := folder.Read("page.md")
			require.NoError(t, err)
			require.Equal(t, row.want, written)
		})
	}
}

func TestTable(t *testing.T) {
	require.Equal(t, `| what | number | another |     two | a load   |
| ---- | -----: | ------: | ------: | -------- |
| ÷    |    1.0 |       – |  3 of 4 | 1 client |
| a    |  10 ms |      +1 | 1.5 (2) | 2 more   |
| this is far longer than the cells of all others are |      2 |     8ms |       – |          |`, page.Table([][]string{
		{"what", "number", "another", "two", "a load"},
		{"÷", "1.0", "–", "3 of 4", "1 client"},
		{"a", "10 ms", "+1", "1.5 (2)", "2 more"},
		{"this is far longer than the cells of all others are", "2", "8ms", "–", ""},
	}))
	require.Equal(t, "| head |\n| ---- |", page.Table([][]string{{"head"}}))
}

func TestRow(t *testing.T) {
	require.Equal(t, []string{"a", "12", "1,234", "-1,234,567", "1.5", "2s"}, page.Row("a", 12, 1234, -1234567, 1.46, 2*time.Second))
}
