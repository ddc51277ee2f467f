package pacer_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/pacer"
)

// A partition with one limit fits into 368 bytes, so that an idle partition and package headway's data
// about it fit into 512 bytes.
func TestPartitionIsSmall(t *testing.T) {
	const n = 1000
	var before, after runtime.MemStats
	partitions := make([]pacer.Partition, n)
	runtime.GC()
	runtime.GC() // frees what earlier tests have left
	runtime.ReadMemStats(&before)
	for i := range partitions {
		d := driver{t: t, p: pacer.New(&even), now: start}
		d.get(says(60, minute, 59, minute))
		partitions[i] = d.p
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	each := int64(unsafe.Sizeof(partitions[0])) + (int64(after.HeapAlloc)-int64(before.HeapAlloc))/n
	t.Logf("%d bytes each", each)
	require.LessOrEqual(t, each, int64(368))
	runtime.KeepAlive(partitions)
}

// The package must stay small enough for a newcomer to read in an afternoon, so its lines and constants are
// bounded, without tests. A change that needs more gives the reason in its commit message, and raises the
// bounds here.
func TestFitsInTheHead(t *testing.T) {
	const mostLines, mostConstants = 4863, 78
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	lines, constants := 0, 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		source, err := os.ReadFile(name)
		require.NoError(t, err)
		lines += bytes.Count(source, []byte("\n"))
		file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, decl := range file.Decls {
			constants += numbers(decl)
		}
	}
	t.Logf("%d lines and %d constants in %d files", lines, constants, len(files))
	require.LessOrEqual(t, lines, mostLines)
	require.LessOrEqual(t, constants, mostConstants)
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
