package parse_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/parse"
)

func TestBudgets(t *testing.T) {
	long := strings.Repeat("a", 10<<20)
	members := func(n int) string { return strings.TrimSuffix(strings.Repeat("a;r=1,", n), ",") }
	for _, c := range []struct {
		name  string
		lines []string
		want  int // items
		err   error
	}{
		{name: "10 MB", lines: []string{`"` + long}, err: parse.ErrTooLong},
		{name: "one byte too many", lines: []string{`a;r=1;x="` + long[:parse.MaxFieldLength-9] + `"`}, err: parse.ErrTooLong},
		{name: "just not too many bytes", lines: []string{`a;r=1;x="` + long[:parse.MaxFieldLength-10] + `"`}, want: 1},
		{name: "too long in two lines", lines: []string{long[:parse.MaxFieldLength/2], long[:parse.MaxFieldLength/2+1]}, err: parse.ErrTooLong},
		{name: "lines", lines: strings.Split(strings.Repeat("a;r=1 ", parse.MaxLines), " ")[:parse.MaxLines], want: parse.MaxLines},
		{name: "too many lines", lines: make([]string, parse.MaxLines+1), err: parse.ErrTooMany},
		{name: "members", lines: []string{members(parse.MaxMembers)}, want: parse.MaxMembers},
		{name: "too many members", lines: []string{members(parse.MaxMembers + 1)}, err: parse.ErrTooMany},
		{name: "100,000 members", lines: []string{members(100_000)}, err: parse.ErrTooLong},
		{name: "parameters", lines: []string{"a;r=1" + strings.Repeat(";b", parse.MaxParameters-1)}, want: 1},
		{name: "too many parameters", lines: []string{"a;r=1" + strings.Repeat(";b", parse.MaxParameters)}, err: parse.ErrTooMany},
		{name: "too many parameters of an inner list", lines: []string{"(a)" + strings.Repeat(";b", parse.MaxParameters+1)}, err: parse.ErrTooMany},
		{name: "too many members of a dictionary", lines: []string{"limit=1" + strings.Repeat(",reset=1", parse.MaxMembers)}, err: parse.ErrTooMany},
		{name: "parentheses", lines: []string{strings.Repeat("(", parse.MaxFieldLength)}, err: parse.ErrSyntax},
		{name: "escapes", lines: []string{`"` + strings.Repeat(`\"`, parse.MaxFieldLength/2-1)}, err: parse.ErrTruncated},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := parse.RateLimit(c.lines)
			if c.err != nil {
				require.ErrorIs(t, err, c.err)
			} else {
				require.NoError(t, err)
			}
			require.Len(t, got.All(), c.want)
		})
	}
}

// TestBudgetsOfAllFields sends too much in every field that is read.
func TestBudgetsOfAllFields(t *testing.T) {
	long := []string{strings.Repeat("1", parse.MaxFieldLength+1)}
	many := make([]string, parse.MaxLines+1)
	for _, name := range []string{
		"RateLimit", "RateLimit-Policy", "Retry-After",
		"RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset",
		"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Used", "X-RateLimit-Reset", "X-RateLimit-Reset-After",
		"X-RateLimit-Bucket", "X-RateLimit-Resource", "X-RateLimit-Name", "X-RateLimit-Policy", "X-RateLimit-Scope", "X-RateLimit-Global",
		"X-Rate-Limit-Limit", "X-Rate-Limit-Remaining", "X-Rate-Limit-Reset", "X-Rate-Limit-Reset-After",
	} {
		for reason, lines := range map[error][]string{parse.ErrTooLong: long, parse.ErrTooMany: many} {
			t.Run(name+"/"+reason.Error(), func(t *testing.T) {
				f := parse.Header(http.Header{name: lines})
				require.Len(t, f.Problems, 1)
				require.Equal(t, &parse.Error{Field: name, Offset: -1, Err: reason}, f.Problems[0])
				f.Problems = nil
				require.Zero(t, f)
			})
		}
	}
}
