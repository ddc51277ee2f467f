package pacer_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Powers, roots and logarithms cost as much as the rest of a formula together. So they stay out of what every request
// passes through: only these functions may have them.
func TestOrdinaryRequestsNeedNoPowers(t *testing.T) {
	rare := map[string]string{
		"weigh":   "a reading that the last one does not explain",
		"reserve": "beside other clients",
		"settle":  "beside other clients",
		"Margin":  "after a hold that ended too early",
		"measure": "the end of a trial",
		"early":   "a hold",
		"first":   "the first request of a route",
		"Backoff": "a refusal",
	}
	files, err := filepath.Glob("internal/*/*.go")
	require.NoError(t, err)
	own, err := filepath.Glob("*.go")
	require.NoError(t, err)
	found := map[string]bool{}
	for _, name := range append(files, own...) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if ok && hasPowers(f) {
				require.Contains(t, rare, f.Name.Name, "in %s", name)
				found[f.Name.Name] = true
			}
		}
	}
	for name := range rare {
		require.True(t, found[name], "%s has none any more", name)
	}
}

// hasPowers reports whether a function calls a function of package math that takes many steps.
func hasPowers(f *ast.FuncDecl) (has bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if pkg, ok := s.X.(*ast.Ident); ok && pkg.Name == "math" {
				switch s.Sel.Name {
				case "Pow", "Exp", "Exp2", "Expm1", "Log", "Log2", "Log10", "Log1p", "Sqrt", "Cbrt", "Mod", "Ldexp":
					has = true
				}
			}
		}
		return true
	})
	return has
}
