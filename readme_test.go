package headway

import (
	"fmt"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// readmePart returns the text of the README between two marks.
func readmePart(t *testing.T, from, to string) string {
	t.Helper()
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(text), from)
	require.True(t, found, "README.md has no %q", from)
	part, _, found := strings.Cut(rest, to)
	require.True(t, found, "README.md has no %q after %q", to, from)
	return part
}

func TestReadmeDescribesEveryField(t *testing.T) {
	table := readmePart(t, "\n## The fields of Transport\n", "\n## ")
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Transport]()) {
		if field.IsExported() {
			require.Contains(t, table, "\n| `"+field.Name+"` | ")
		}
	}
	for field, zero := range map[string]string{
		"Burst":      fmt.Sprint(DefaultBurst),
		"Jitter":     fmt.Sprint(DefaultJitter),
		"MaxWait":    fmt.Sprintf("%.0f minutes", DefaultMaxWait.Minutes()),
		"MaxRetries": fmt.Sprint(DefaultMaxRetries),
	} {
		row := readmePart(t, "\n| `"+field+"` | ", "\n")
		require.True(t, strings.HasPrefix(strings.Split(row, " | ")[1], zero), "the zero %s is %s, not: %s", field, zero, row)
	}
}

func TestReadmeNamesCredentials(t *testing.T) {
	list := readmePart(t, "count as credentials</summary>", "</details>")
	names := regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(list, -1)
	require.NotEmpty(t, names)
	for _, name := range names {
		require.True(t, isCredential(http.CanonicalHeaderKey(name[1])), name[1])
	}
}
