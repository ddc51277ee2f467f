package docs

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
)

// The README's table of clients repeats figures of docs/figures/bench.md.
func TestReadmeComparesAsMeasured(t *testing.T) {
	table := docPart(t, "README.md", "\n## What you get\n", "\n## ")
	for _, row := range []struct{ readme, bench string }{
		{"**headway**", "**headway**"},
		{"go-retryablehttp, failsafe-go, plain retry", "go-retryablehttp"},
		{"rehttp", "rehttp"},
		{"AWS adaptive", "AWS adaptive"},
		{"x/time/rate, configured with the rate", "x/time/rate (configured)"},
	} {
		window := benchRow(t, "fixed window, 60 per minute: 1 client", row.bench)
		bucket := benchRow(t, "token bucket, 60 per minute: 1 client", row.bench)
		fleet := benchRow(t, "fixed window, 60 per minute: 8 clients", row.bench)
		require.Contains(t, cellsOf(table), []string{
			row.readme, window["refused ‰"], window["÷ optimum"], window["p99 s"] + " s", bucket["refused ‰"], fleet["refused ‰"],
		})
	}
}

// benchRow returns the figures of a client in the table of docs/figures/bench.md whose title begins so, by column.
func benchRow(t *testing.T, title, client string) map[string]string {
	t.Helper()
	rows := cellsOf(docPart(t, "docs/figures/bench.md", "\n### "+title, "\nBetter than headway"))
	for _, row := range rows {
		if row[0] == client {
			figures := map[string]string{}
			for i, name := range rows[0] {
				figures[name] = row[i]
			}
			return figures
		}
	}
	require.Fail(t, "docs/figures/bench.md has no such row", "%s, %s", title, client)
	return nil
}

var (
	inlineCode = regexp.MustCompile("`[^`\n]+`")
	fence      = regexp.MustCompile("(?ms)^ *```.*?^ *```")
	link       = regexp.MustCompile(`!?\[([^]]*)\]\([^)]*\)`)
)

// cellsOf returns the cells of a table in Markdown, row by row.
func cellsOf(table string) [][]string {
	var rows [][]string
	for line := range strings.Lines(table) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "|") {
			continue
		}
		var row []string
		for cell := range strings.SplitSeq(strings.Trim(line, "|"), "|") {
			row = append(row, strings.TrimSpace(cell))
		}
		rows = append(rows, row)
	}
	return rows
}

// Whole programs and tests in the README and in docs compile. Other Go code there is an excerpt of a file
// that compiles.
func TestGoBlocksCompile(t *testing.T) {
	files := token.NewFileSet()
	blocks := map[string]*ast.File{} // by page and number
	imports := map[string]bool{}
	for _, page := range append(pages(t, "docs"), "README.md") {
		for i, block := range goBlock.FindAllStringSubmatch(readPage(t, page), -1) {
			name, source, code := page+" "+strconv.Itoa(i+1), block[1], block[2]
			if !strings.HasPrefix(code, "package ") {
				require.NotEmpty(t, source, "%s has no package clause; <!-- file --> above it names where it is from", name)
				require.Contains(t, unindented(readPage(t, source)), strings.TrimSpace(unindented(code)), "%s, from %s", name, source)
				continue
			}
			parsed, err := parser.ParseFile(files, name, code, parser.SkipObjectResolution)
			require.NoError(t, err)
			blocks[name] = parsed
			for _, spec := range parsed.Imports {
				path, err := strconv.Unquote(spec.Path.Value)
				require.NoError(t, err)
				imports[path] = true
			}
		}
	}
	require.NotEmpty(t, blocks)
	config := types.Config{Importer: importer.ForCompiler(files, "gc", exports(t, imports))}
	for name, block := range blocks {
		_, err := config.Check(name, files, []*ast.File{block}, nil)
		require.NoError(t, err)
	}
}

// goBlock finds Go code, after the file that it is an excerpt of, if the page names one.
var goBlock = regexp.MustCompile("(?ms)(?:^<!-- (\\S+) -->\n\n)?^```go\n(.*?)^```")

// unindented is code without the white space that lines begin with.
func unindented(code string) string {
	return regexp.MustCompile(`(?m)^[ \t]+`).ReplaceAllString(code, "")
}

// exports finds what the compiler knows of packages and of all that they import.
func exports(t *testing.T, packages map[string]bool) importer.Lookup {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", "list", "-export", "-deps", "-json=ImportPath,Export")
	command.Dir = root
	for path := range packages {
		command.Args = append(command.Args, path)
	}
	var stderr bytes.Buffer
	command.Stderr = &stderr
	output, err := command.Output()
	require.NoError(t, err, stderr.String())
	files := map[string]string{}
	for decoder := json.NewDecoder(bytes.NewReader(output)); ; {
		var p struct{ ImportPath, Export string }
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		}
		files[p.ImportPath] = p.Export
	}
	return func(path string) (io.ReadCloser, error) { return os.Open(files[path]) }
}

// Each link of a page to another file of the repository, or to a heading there, leads somewhere.
func TestLinksLeadSomewhere(t *testing.T) {
	for _, page := range pages(t, "") {
		t.Run(page, func(t *testing.T) {
			text := inlineCode.ReplaceAllString(fence.ReplaceAllString(readPage(t, page), ""), "code")
			for _, link := range relativeLink.FindAllStringSubmatch(text, -1) {
				file, anchor, _ := strings.Cut(link[1], "#")
				target := page
				if file != "" {
					target = filepath.Join(filepath.Dir(page), file)
				}
				_, err := os.Stat(root + target)
				require.NoError(t, err, link[1])
				if anchor != "" {
					require.Contains(t, anchors(readPage(t, target)), anchor, link[1])
				}
			}
		})
	}
}

// relativeLink finds the target of a link, unless it is on another site.
var relativeLink = regexp.MustCompile(`\]\(([^):]+)\)`)

// anchors returns the anchors that GitHub makes of a page's headings.
func anchors(page string) []string {
	var all []string
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(fence.ReplaceAllString(page, ""), -1) {
		text := link.ReplaceAllString(heading[1], "$1")
		all = append(all, strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r):
				return unicode.ToLower(r)
			}
			return -1
		}, text))
	}
	return all
}

// readPage returns the text of a file of the repository.
func readPage(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(root + name)
	require.NoError(t, err)
	return string(text)
}

// pages lists the Markdown files of a folder and below, but for test data.
func pages(t *testing.T, folder string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(root+folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == ".git"):
			return fs.SkipDir
		case filepath.Ext(path) != ".md":
			return nil
		}
		name, err := filepath.Rel(root, path)
		all = append(all, filepath.ToSlash(name))
		return err
	})
	require.NoError(t, err)
	slices.Sort(all)
	return all
}
