package promheadway_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/require"
)

// The tables in the package's comment list all metrics with their type and labels, and no others.
func TestTables(t *testing.T) {
	rows := []string{}
	p := play(t)
	for _, f := range []families{p.during, p.after} {
		for name, family := range f {
			if row := fmt.Sprint(name, " ", strings.ToLower(family.GetType().String()), labelNames(family)); !slices.Contains(rows, row) {
				rows = append(rows, row)
			}
		}
	}
	slices.Sort(rows)
	for _, row := range []struct {
		file, pattern string
		types         bool
	}{
		{"doc.go", `(?m)^//\t(headway_\S+)()()  .*$`, false},
		{"README.md", "(?m)^\\| `(headway_\\S+)` \\| (\\w+) \\|([^|]*)\\|.*$", true},
	} {
		t.Run(row.file, func(t *testing.T) {
			text, err := os.ReadFile(row.file)
			require.NoError(t, err)
			var documented, want []string
			for _, match := range regexp.MustCompile(row.pattern).FindAllStringSubmatch(string(text), -1) {
				there := match[1]
				if row.types {
					names, _, _ := strings.Cut(match[3], ":") // the values of the labels
					there += fmt.Sprint(" ", match[2], sorted(regexp.MustCompile(`\w+`).FindAllString(names, -1)))
				}
				documented = append(documented, there)
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

// labelNames returns the names of a metric's labels, without those that all metrics have.
func labelNames(family *dto.MetricFamily) []string {
	var names []string
	for name := range labelsOf(family.GetMetric()[0]) {
		if name != "transport" && name != "partition" {
			names = append(names, name)
		}
	}
	return sorted(names)
}

func sorted(names []string) []string {
	slices.Sort(names)
	return names
}
