package headway

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"strconv"
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

// The README names the fields that isCredential knows, neither more nor fewer.
func TestReadmeNamesCredentials(t *testing.T) {
	list := readmePart(t, "count as credentials</summary>", "</details>")
	var named []string
	for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(list, -1) {
		named = append(named, name[1])
	}
	known := stringsIn(t, "credential.go", "isCredential")
	require.ElementsMatch(t, known, named)
	for _, name := range known {
		require.True(t, isCredential(name), name)
		require.Equal(t, http.CanonicalHeaderKey(name), name)
	}
}

// stringsIn returns the string literals in a function's body. There is no other
// way to list the cases of a switch.
func stringsIn(t *testing.T, file, function string) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	var found []string
	for _, decl := range parsed.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Name.Name != function {
			continue
		}
		ast.Inspect(f.Body, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				text, err := strconv.Unquote(lit.Value)
				require.NoError(t, err)
				found = append(found, text)
			}
			return true
		})
	}
	require.NotEmpty(t, found, "%s has no %s, or one without strings", file, function)
	return found
}
