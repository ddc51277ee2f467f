package promheadway_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The tables have each metric that there is, with its type, and no other.
func TestTables(t *testing.T) {
	rows := []string{}
	p := play(t)
	for _, f := range []families{p.during, p.after} {
		for name, family := range f {
			if row := name + " " + strings.ToLower(family.GetType().String()); !slices.Contains(rows, row) {
				rows = append(rows, row)
			}
		}
	}
	slices.Sort(rows)
	for _, row := range []struct {
		file, pattern string
		types         bool
	}{
		{"doc.go", `(?m)^//\t(headway_\S+)()  .*$`, false},
		{"README.md", "(?m)^\\| `(headway_\\S+)` \\| (\\w+) \\|.*$", true},
	} {
		t.Run(row.file, func(t *testing.T) {
			text, err := os.ReadFile(row.file)
			require.NoError(t, err)
			var documented, want []string
			for _, match := range regexp.MustCompile(row.pattern).FindAllStringSubmatch(string(text), -1) {
				documented = append(documented, strings.TrimSpace(match[1]+" "+match[2]))
			}
			for _, there := range rows {
				if !row.types {
					there, _, _ = strings.Cut(there, " ")
				}
				want = append(want, there)
			}
			slices.Sort(documented)
			require.Equal(t, want, documented)
		})
	}
}
