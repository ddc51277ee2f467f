package docs

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

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/registry"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/parse"
	"github.com/headway-go/headway/validate"
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

// The README has a row for every field, in their order, and no other; the zero of
// each is what it stands for.
func TestReadmeDescribesEveryField(t *testing.T) {
	table := docPart(t, "README.md", "\n## The fields of Transport\n", "\n## ")
	zeros := map[string]string{} // by field
	var described, fields []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| [^|]* \\| ([^|;]*)").FindAllStringSubmatch(table, -1) {
		described = append(described, row[1])
		zeros[row[1]] = strings.TrimSpace(row[2])
	}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[headway.Transport]()) {
		if field.IsExported() {
			fields = append(fields, field.Name)
		}
	}
	require.Equal(t, fields, described)
	for field, want := range map[string]string{
		"Burst":      fmt.Sprint(headway.DefaultBurst),
		"Jitter":     fmt.Sprint(headway.DefaultJitter),
		"MaxWait":    fmt.Sprintf("%.0f minutes", headway.DefaultMaxWait.Minutes()),
		"MaxRetries": fmt.Sprint(headway.DefaultMaxRetries),
		"Bounds": fmt.Sprintf("%.0f days, 10¹², %d,000 per second",
			validate.DefaultMaxReset.Hours()/24, validate.DefaultMaxRate/1000),
	} {
		require.Equal(t, want, zeros[field], "the zero %s", field)
	}
}

// The README names the fields that count as credentials, neither more nor fewer.
func TestReadmeNamesCredentials(t *testing.T) {
	list := docPart(t, "README.md", "count as credentials</summary>", "</details>")
	var named []string
	for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(list, -1) {
		named = append(named, name[1])
	}
	known := stringsIn(t, "internal/identity/credential.go", "isCredential")
	require.ElementsMatch(t, known, named)
	for _, name := range known {
		require.NotEqual(t, headway.DefaultPartition(kit.NewRequest(t, kit.URL)), headway.DefaultPartition(kit.NewRequest(t, kit.URL, name, "value")), name)
		require.Equal(t, http.CanonicalHeaderKey(name), name)
	}
}

// SECURITY.md has a row for every budget, with the number that the constant has.
func TestSecurityTellsTheBudgets(t *testing.T) {
	table := docPart(t, "SECURITY.md", "| of one field |", "\n- ")
	told := map[string]int{} // by constant
	for _, row := range regexp.MustCompile("\\| (\\d+)( KiB)? \\| `([^`]+)` \\|\n").FindAllStringSubmatch(table, -1) {
		n, err := strconv.Atoi(row[1])
		require.NoError(t, err)
		if row[2] != "" {
			n <<= 10
		}
		told[row[3]] = n
	}
	require.Equal(t, map[string]int{
		"parse.MaxFieldLength": parse.MaxFieldLength,
		"parse.MaxLines":       parse.MaxLines,
		"parse.MaxMembers":     parse.MaxMembers,
		"parse.MaxParameters":  parse.MaxParameters,
		"parse.MaxText":        parse.MaxText,
		"parse.MaxDigits":      parse.MaxDigits,
		"validate.MaxLimits":   validate.MaxLimits,
	}, told)
	docPart(t, "SECURITY.md", fmt.Sprintf("at most %d,%03d partitions", registry.MaxPartitions/1000, registry.MaxPartitions%1000), "\n")
	docPart(t, "SECURITY.md", fmt.Sprintf("about %d MiB", registry.MaxMemory>>20), "\n")
}

// stringsIn returns the string literals in a function's body. There is no other
// way to list the cases of a switch.
func stringsIn(t *testing.T, file, function string) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), root+file, nil, parser.SkipObjectResolution)
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
