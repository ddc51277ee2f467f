package kit

import (
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
