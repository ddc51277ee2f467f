package main

import (
	"errors"
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/parse"
	"github.com/headway-go/headway/validate"
)

// Every reason of package validate and every error of package parse has an explanation: a new one fails here.
func TestEveryProblemIsExplained(t *testing.T) {
	for _, reason := range declared(t, "../../validate/problem.go", `(?m)^\t\w+ +Reason = "(.*)"`) {
		require.NotEqual(t, "other", explainReason(validate.Reason(reason)).code, reason)
	}
	explained := map[string]bool{}
	for _, err := range []error{
		parse.ErrSyntax, parse.ErrTruncated, parse.ErrType, parse.ErrRange, parse.ErrMissing,
		parse.ErrNumber, parse.ErrTime, parse.ErrConflict, parse.ErrTooLong, parse.ErrTooMany,
	} {
		explained[err.Error()] = true
		require.NotEqual(t, "other", explainCause(&parse.Error{Field: "X", Err: err}).code, err)
	}
	for _, text := range declared(t, "../../parse/errors.go", `(?m)^\tErr\w+ += errors\.New\("(.*)"\)`) {
		require.True(t, explained[text], text)
	}
	require.Equal(t, explanation{"other", "new"}, explainReason("new"))
	require.Equal(t, explanation{"other", `\x1b`}, explainCause(errors.New("\x1b")))
}

// declared returns the texts that a file declares, by a pattern with a group.
func declared(t *testing.T, file, pattern string) (texts []string) {
	t.Helper()
	source, err := os.ReadFile(file)
	require.NoError(t, err)
	for _, match := range regexp.MustCompile(pattern).FindAllSubmatch(source, -1) {
		texts = append(texts, string(match[1]))
	}
	require.GreaterOrEqual(t, len(texts), 10, file)
	return texts
}
