package docs

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
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

// docs/configuration.md has a row for each field, in their order, with the value that zero stands for.
func TestEveryFieldIsDescribed(t *testing.T) {
	described := describedFields(t, "docs/configuration.md", "\n## All fields\n")
	var fields, names []string
	for _, field := range reflect.VisibleFields(reflect.TypeFor[headway.Transport]()) {
		if field.IsExported() {
			fields = append(fields, field.Name)
		}
	}
	zeros := map[string]string{} // by field
	for _, row := range described {
		names = append(names, row[0])
		zeros[row[0]] = row[2]
	}
	require.Equal(t, fields, names)
	for field, want := range map[string]string{
		"Burst":      fmt.Sprint(headway.DefaultBurst),
		"Jitter":     fmt.Sprint(headway.DefaultJitter),
		"MaxWait":    fmt.Sprintf("%.0f minutes", headway.DefaultMaxWait.Minutes()),
		"MaxRetries": fmt.Sprint(headway.DefaultMaxRetries),
		"Bounds": fmt.Sprintf("%.0f days, 10¹², %d,000 per second",
			validate.DefaultMaxReset.Hours()/24, validate.DefaultMaxRate/1000),
	} {
		zero, _, _ := strings.Cut(zeros[field], ";")
		require.Equal(t, want, zero, "the zero %s", field)
	}
	for _, row := range describedFields(t, "README.md", "\n## The fields that people set\n") {
		require.Contains(t, fields, row[0], "README.md")
		if row[0] == "MaxWait" || row[0] == "MaxRetries" {
			require.Equal(t, zeros[row[0]], row[2], "README.md, the zero %s", row[0])
		}
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

// docs/configuration.md names the header fields that count as credentials, neither more nor fewer.
func TestCredentialsAreNamed(t *testing.T) {
	list := docPart(t, "docs/configuration.md", "\n### Header fields that count as credentials\n", "\n### ")
	code := docPart(t, "internal/identity/credential.go", "\nfunc isCredential(", "\n}")
	var named, known []string
	for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(list, -1) {
		named = append(named, name[1])
	}
	for _, name := range regexp.MustCompile(`"([^"]+)"`).FindAllStringSubmatch(code, -1) {
		known = append(known, name[1])
	}
	require.NotEmpty(t, known)
	require.ElementsMatch(t, known, named)
	for _, name := range known {
		require.NotEqual(t, headway.DefaultPartition(kit.NewRequest(t, kit.URL)), headway.DefaultPartition(kit.NewRequest(t, kit.URL, name, "value")), name)
		require.Equal(t, http.CanonicalHeaderKey(name), name)
	}
}

// SECURITY.md has a row for each budget, with the value of its constant.
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
		"parse.MaxNamed":       parse.MaxNamed,
		"validate.MaxLimits":   validate.MaxLimits,
	}, told)
	docPart(t, "SECURITY.md", fmt.Sprintf("at most %d,%03d partitions", headway.DefaultMaxPartitions/1000, headway.DefaultMaxPartitions%1000), "\n")
}

// A file that is named beside a room is there.
func TestMapNamesFiles(t *testing.T) {
	rooms := docPart(t, "CONTRIBUTING.md", "\n## Map\n", "\n### Who may name whom\n")
	quoted := regexp.MustCompile("`([^`]+)`")
	found := 0
	for row := range strings.Lines(rooms) {
		cells := strings.Split(row, "|")
		if len(cells) < 4 {
			continue
		}
		for _, file := range quoted.FindAllStringSubmatch(cells[2], -1) {
			if ext := filepath.Ext(file[1]); ext != ".go" && ext != ".lua" {
				continue
			}
			isThere := exists(file[1])
			for _, room := range quoted.FindAllStringSubmatch(cells[1], -1) {
				isThere = isThere || exists(filepath.Join(room[1], file[1]))
			}
			require.True(t, isThere, "%s is not in a room of: %s", file[1], row)
			found++
		}
	}
	require.Greater(t, found, 20)
}

func exists(file string) bool {
	_, err := os.Stat(filepath.Join(root, file))
	return err == nil
}
