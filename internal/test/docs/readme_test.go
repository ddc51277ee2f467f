package docs

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
)

// root is the way to the folder of the repository.
const root = "../../../"

// docPart returns the text of a document between two marks.
func docPart(t *testing.T, file, from, to string) string {
	t.Helper()
	text, err := os.ReadFile(root + file)
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(text), from)
	require.True(t, found, "%s has no %q", file, from)
	part, _, found := strings.Cut(rest, to)
	require.True(t, found, "%s has no %q after %q", file, to, from)
	return part
}

// docs/configuration.md has a row for each field, in their order, and README.md names no other.
func TestEveryFieldIsDescribed(t *testing.T) {
	described := describedFields(t, "docs/configuration.md", "\n## All fields\n")
	var fields, names []string
	for _, field := range reflect.VisibleFields(reflect.TypeFor[headway.Transport]()) {
		if field.IsExported() {
			fields = append(fields, field.Name)
		}
	}
	for _, row := range described {
		names = append(names, row[0])
	}
	require.Equal(t, fields, names)
	for _, row := range describedFields(t, "README.md", "\n## The fields that people set\n") {
		require.Contains(t, fields, row[0], "README.md")
	}
}

// describedFields returns the rows of a table of fields, with the fields' names in the first cells.
func describedFields(t *testing.T, page, heading string) [][]string {
	t.Helper()
	rows := cellsOf(docPart(t, page, heading, "\n## "))[2:]
	for _, row := range rows {
		row[0] = strings.Trim(row[0], "`")
	}
	require.NotEmpty(t, rows)
	return rows
}
