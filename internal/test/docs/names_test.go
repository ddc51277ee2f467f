package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Names are the terms of rate limits and of transports: reported and not told, cost and not said, elapsed and not past.
func TestNamesAreTheFields(t *testing.T) {
	vague := strings.Fields("told said spared heard ask asks asked past kept more few by")
	word := regexp.MustCompile(`[A-Z]?[a-z0-9]+|[A-Z]+`)
	fileSet := token.NewFileSet()
	for _, path := range userFiles(t) {
		file, err := parser.ParseFile(fileSet, path, nil, 0)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			for _, name := range declared(n) {
				for _, w := range word.FindAllString(name.Name, -1) {
					require.NotContains(t, vague, strings.ToLower(w), "%s at %v", name.Name, fileSet.Position(name.Pos()))
				}
			}
			return true
		})
	}
}

// declared returns the names of what a node declares: types, functions, fields, parameters, constants and variables.
func declared(n ast.Node) []*ast.Ident {
	switch n := n.(type) {
	case *ast.TypeSpec:
		return []*ast.Ident{n.Name}
	case *ast.FuncDecl:
		return []*ast.Ident{n.Name}
	case *ast.Field:
		return n.Names
	case *ast.ValueSpec:
		return n.Names
	case *ast.AssignStmt:
		var names []*ast.Ident
		for _, left := range n.Lhs {
			if name, ok := left.(*ast.Ident); ok && n.Tok == token.DEFINE {
				names = append(names, name)
			}
		}
		return names
	}
	return nil
}
