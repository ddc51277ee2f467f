package main

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/parse"
	"github.com/headway-go/headway/validate"
)

// TestEveryReasonIsExplained reads the constants of package validate, so it fails for a new one without an
// explanation.
func TestEveryReasonIsExplained(t *testing.T) {
	codes := map[string]bool{}
	for name, text := range declared(t, "../../validate/problem.go", token.CONST) {
		why := explainReason(validate.Reason(text))
		require.NotEqual(t, "other", why.code, name)
		require.NotEmpty(t, why.text, name)
		require.False(t, codes[why.code], "one word, one reason: %s", name)
		codes[why.code] = true
	}
	require.GreaterOrEqual(t, len(codes), 10)
	require.Equal(t, explanation{"other", "new"}, explainReason("new"))
}

// TestEveryCauseIsExplained does the same with the errors of package parse.
func TestEveryCauseIsExplained(t *testing.T) {
	explained := map[string]bool{}
	for _, err := range []error{
		parse.ErrSyntax, parse.ErrTruncated, parse.ErrType, parse.ErrRange, parse.ErrMissing,
		parse.ErrNumber, parse.ErrTime, parse.ErrConflict, parse.ErrTooLong, parse.ErrTooMany,
	} {
		why := explainCause(&parse.Error{Field: "X", Err: err})
		require.NotEqual(t, "other", why.code, err)
		explained[err.Error()] = true
	}
	for name, text := range declared(t, "../../parse/errors.go", token.VAR) {
		require.True(t, explained[text], name)
	}
	require.Equal(t, explanation{"other", `\x1b`}, explainCause(errors.New("\x1b")))
}

// declared returns the names that a file declares with a text, and the texts.
func declared(t *testing.T, file string, kind token.Token) map[string]string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	require.NoError(t, err)
	all := map[string]string{}
	for _, d := range f.Decls {
		group, ok := d.(*ast.GenDecl)
		if !ok || group.Tok != kind {
			continue
		}
		for _, s := range group.Specs {
			v := s.(*ast.ValueSpec)
			for i, value := range v.Values {
				if call, ok := value.(*ast.CallExpr); ok { // errors.New("…")
					value = call.Args[0]
				}
				text, err := strconv.Unquote(value.(*ast.BasicLit).Value)
				require.NoError(t, err)
				all[v.Names[i].Name] = text
			}
		}
	}
	require.NotEmpty(t, all)
	return all
}
