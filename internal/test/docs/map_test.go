package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The map of CONTRIBUTING.md has all rooms: each file of the root, and each package of a user's program.
func TestMapIsComplete(t *testing.T) {
	rooms := docPart(t, "CONTRIBUTING.md", "\n## Map\n", "\n### Who may name whom\n")
	for name := range rootFiles(t) {
		require.True(t, name == "doc.go" || strings.Contains(rooms, "`"+name+"`"), "%s is not in the map", name)
	}
	for _, file := range userFiles(t) {
		folder, err := filepath.Rel(rootFolder(t), filepath.Dir(file))
		require.NoError(t, err)
		if folder == "." {
			continue
		}
		short := strings.TrimPrefix(folder, "pacer/internal/") // some of these share a row
		require.True(t, strings.Contains(rooms, "`"+folder+"`") || strings.Contains(rooms, "`"+short+"`"), "%s is not in the map", folder)
	}
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

func exists(path string) bool {
	_, err := os.Stat(filepath.Join(root, path))
	return err == nil
}

// A file of the root names only what is declared in the files after it. The exceptions have their reasons in CONTRIBUTING.md.
func TestRootNamesDownwards(t *testing.T) {
	part := docPart(t, "CONTRIBUTING.md", "\n### Who may name whom\n", "\n### ")
	listed := regexp.MustCompile(`in this order: ([a-z, ]+)\.`).FindStringSubmatch(part)
	require.NotNil(t, listed)
	position := make(map[string]int)
	for i, name := range strings.Split(listed[1], ", ") {
		position[name+".go"] = i
	}
	files, declared := rootFiles(t), make(map[string]string)
	for name, file := range files {
		require.True(t, name == "doc.go" || position[name] > 0 || name == "call.go", "%s is not in the order", name)
		for identifier := range file.Scope.Objects {
			declared[identifier] = name
		}
	}
	found := 0
	for name, file := range files {
		for _, used := range file.Unresolved {
			if target := declared[used.Name]; target != "" && position[target] < position[name] {
				require.Contains(t, part, "| `"+name+"` | `"+target+"` |", "%s is declared above", used.Name)
				found++
			}
		}
	}
	require.Positive(t, found, "the exceptions are needed")
	require.LessOrEqual(t, strings.Count(part, "\n| `"), 5)
}

// What runs in a user's program does not grow, and no struct has more than 20 fields but Transport.
func TestSizes(t *testing.T) {
	const mostLines, mostFiles, mostFields = 19_500, 11, 20
	require.LessOrEqual(t, len(rootFiles(t)), mostFiles)
	lines := 0
	fileSet := token.NewFileSet()
	for _, path := range userFiles(t) {
		file, err := parser.ParseFile(fileSet, path, nil, 0)
		require.NoError(t, err)
		lines += fileSet.File(file.FileStart).LineCount()
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok && spec.Name.Name != "Transport" {
				if s, ok := spec.Type.(*ast.StructType); ok {
					require.LessOrEqual(t, s.Fields.NumFields(), mostFields, "%s in %s", spec.Name, path)
				}
			}
			return true
		})
	}
	t.Logf("%d lines", lines)
	require.LessOrEqual(t, lines, mostLines)
}

func rootFiles(t *testing.T) map[string]*ast.File {
	t.Helper()
	files := make(map[string]*ast.File)
	for _, path := range userFiles(t) {
		if folder, name := filepath.Split(path); filepath.Clean(folder) == rootFolder(t) {
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			require.NoError(t, err)
			files[name] = file
		}
	}
	require.NotEmpty(t, files)
	return files
}

// userFiles returns the files that the command in CONTRIBUTING.md counts.
func userFiles(t *testing.T) []string {
	t.Helper()
	part := docPart(t, "CONTRIBUTING.md", "\n### How large it is\n", "\n## ")
	format := regexp.MustCompile(`(?m)^go list -deps -f '(.*)' \. \| xargs cat \| wc -l$`).FindStringSubmatch(part)
	require.NotNil(t, format)
	command := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", format[1], ".")
	command.Dir = root
	output, err := command.Output()
	require.NoError(t, err)
	return strings.Fields(string(output))
}

func rootFolder(t *testing.T) string {
	t.Helper()
	folder, err := filepath.Abs(root)
	require.NoError(t, err)
	return folder
}
