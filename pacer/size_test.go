package pacer_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The package and its rooms must stay small enough for a newcomer to read in an afternoon. So the lines, constants and
// sizes are bounded, without tests. A change that needs more gives the reason in its commit message, and raises the
// bounds here. go test -v -run TestFitsInTheHead prints the counts.
func TestFitsInTheHead(t *testing.T) {
	const mostLines, mostConstants, mostOfAFile, mostFields, mostExported = 4817, 91, 250, 20, 12
	files, err := filepath.Glob("internal/*/*.go")
	require.NoError(t, err)
	own, err := filepath.Glob("*.go")
	require.NoError(t, err)
	lines, constants, exported := 0, 0, map[string]int{}
	count := 0
	for _, name := range append(files, own...) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		count++
		source, err := os.ReadFile(name)
		require.NoError(t, err)
		n := bytes.Count(source, []byte("\n"))
		lines += n
		require.LessOrEqual(t, n, mostOfAFile, name)
		file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, decl := range file.Decls {
			constants += numbers(decl)
			if room := filepath.Dir(name); room != "." {
				exported[room] += exports(decl)
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.StructType); ok {
				require.LessOrEqual(t, s.Fields.NumFields(), mostFields, name)
			}
			return true
		})
	}
	t.Logf("%d lines and %d constants in %d files; exported by rooms: %v", lines, constants, count, exported)
	require.LessOrEqual(t, lines, mostLines)
	require.LessOrEqual(t, constants, mostConstants)
	for room, n := range exported {
		require.LessOrEqual(t, n, mostExported, room)
	}
}

// exports counts the exported identifiers of a declaration, without methods and fields.
func exports(decl ast.Decl) (n int) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil && d.Name.IsExported() {
			n++
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() {
					n++
				}
			case *ast.ValueSpec:
				for _, name := range s.Names {
					if name.IsExported() {
						n++
					}
				}
			}
		}
	}
	return n
}

// numbers counts the constants of a declaration that are numbers, without those of enumerations.
func numbers(decl ast.Decl) (n int) {
	consts, ok := decl.(*ast.GenDecl)
	if !ok || consts.Tok != token.CONST {
		return 0
	}
	for _, spec := range consts.Specs {
		for _, value := range spec.(*ast.ValueSpec).Values {
			switch v := value.(type) {
			case *ast.Ident:
				if v.Name == "iota" {
					return 0
				}
			case *ast.BasicLit:
				if v.Kind == token.STRING {
					continue
				}
			}
			n++
		}
	}
	return n
}
