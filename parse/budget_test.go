package parse_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/parse"
)

// wellFormed has a value for every field without a label, and for some fields with labels and of vendors.
func wellFormed() map[string]string {
	values := map[string]string{
		"RateLimit": "a;r=1", "Retry-After": "1",
		"Retry-After-Ms": "1", "X-Ms-Retry-After-Ms": "1", "X-Retry-In": "1s", "X-Retry-After": "1",
		"X-RateLimit-Retry-After": "1", "X-Rate-Limit-Retry-After-Seconds": "1",
		"Anthropic-RateLimit-Tokens-Limit": "1", "X-Ms-RateLimit-Remaining-Subscription-Reads": "1",
		"X-Amzn-RateLimit-Limit": "1", "X-Shopify-Shop-Api-Call-Limit": "1/2", "X-Discogs-RateLimit": "1",
	}
	for _, family := range []string{"RateLimit-", "X-RateLimit-", "X-Rate-Limit-"} {
		for _, part := range []string{
			"Limit", "Remaining", "Used", "Reset", "Resettime", "Reset-After",
			"Period", "Interval", "Interval-Ms", "Window-Size",
			"Bucket", "Resource", "Name", "Policy", "Rule",
			"Limit-Tokens", "Tokens-Remaining", "Reset-Requests",
		} {
			values[family+part] = "1"
		}
	}
	values["RateLimit-Policy"] = "a;q=1"
	return values
}

// requireBudget checks that a field may have as many of the bounded parts as the budget allows, and not
// one more.
func requireBudget(t *testing.T, field string, budget int, lines func(n int) []string, err error) {
	t.Helper()
	f := parse.Header(http.Header{field: lines(budget)})
	require.Empty(t, f.Problems, "at the bound")
	require.NotZero(t, f, "at the bound")
	f = parse.Header(http.Header{field: lines(budget + 1)})
	require.Len(t, f.Problems, 1, "beyond the bound")
	require.Equal(t, field, f.Problems[0].Field)
	require.ErrorIs(t, f.Problems[0], err)
	require.Empty(t, f.Rows, "beyond the bound")
	f.Problems, f.Rows = nil, nil
	require.Zero(t, f, "beyond the bound")
}

// TestBudgetsOfAllFields checks the budgets that apply before a field is read.
func TestBudgetsOfAllFields(t *testing.T) {
	for field, value := range wellFormed() {
		padded := func(n int) string { return value + strings.Repeat(" ", n-len(value)) }
		t.Run(field, func(t *testing.T) {
			requireBudget(t, field, parse.MaxFieldLength, func(n int) []string { return []string{padded(n)} }, parse.ErrTooLong)
			requireBudget(t, field, parse.MaxFieldLength, func(n int) []string { return []string{padded(n / 2), padded(n - n/2)} }, parse.ErrTooLong)
			requireBudget(t, field, parse.MaxLines, func(n int) []string { return times(n, value) }, parse.ErrTooMany)
		})
	}
}

func times(n int, value string) []string { return slices.Repeat([]string{value}, n) }

// TestBudgets checks the budgets that a field exceeds while it is read.
func TestBudgets(t *testing.T) {
	list := func(value string) func(int) string {
		return func(n int) string { return strings.Join(times(n, value), ", ") }
	}
	repeat := func(before, what, behind string) func(int) string {
		return func(n int) string { return before + strings.Repeat(what, n) + behind }
	}
	less := func(n int, of func(int) string) func(int) string {
		return func(all int) string { return of(all - n) }
	}
	for _, c := range []struct {
		name   string
		field  string
		budget int
		value  func(n int) string
		err    error
	}{
		{"members", "RateLimit", parse.MaxMembers, list("a;r=1"), parse.ErrTooMany},
		{"members of a dictionary", "RateLimit", parse.MaxMembers, less(2, repeat("limit=1, reset=1", ", remaining=1", "")), parse.ErrTooMany},
		{"members", "RateLimit-Policy", parse.MaxMembers, list("a;q=1"), parse.ErrTooMany},
		{"members", "RateLimit-Limit", parse.MaxMembers, list("1"), parse.ErrTooMany},
		{"policies", "X-RateLimit-Limit", parse.MaxMembers, list("1;w=1"), parse.ErrTooMany},
		{"members", "X-RateLimit-Remaining", parse.MaxMembers, list("1"), parse.ErrTooMany},
		{"members", "X-Rate-Limit-Reset", parse.MaxMembers, list("1"), parse.ErrTooMany},

		{"members", "Retry-After-Ms", parse.MaxMembers, list("1"), parse.ErrTooMany},

		{"parameters", "RateLimit", parse.MaxParameters, less(1, repeat("a;r=1", ";b", "")), parse.ErrTooMany},
		{"parameters of the second item", "RateLimit", parse.MaxParameters, less(1, repeat("a;r=1, a;r=1", ";b", "")), parse.ErrTooMany},
		{"parameters of a dictionary's member", "RateLimit", parse.MaxParameters, repeat("limit=1, reset=1, remaining=1", ";b", ""), parse.ErrTooMany},
		{"parameters in an inner list", "RateLimit", parse.MaxParameters, repeat("limit=1, reset=1, x=(1", ";b", ")"), parse.ErrTooMany},
		{"parameters", "RateLimit-Policy", parse.MaxParameters, less(1, repeat("a;q=1", ";b", "")), parse.ErrTooMany},
		{"parameters", "RateLimit-Limit", parse.MaxParameters, repeat("1", ";b", ""), parse.ErrTooMany},
		{"parameters", "X-RateLimit-Remaining", parse.MaxParameters, repeat("1", ";b", ""), parse.ErrTooMany},

		{"name", "RateLimit", parse.MaxText, repeat(`"`, "a", `";r=1`), parse.ErrTooLong},
		{"name with escapes", "RateLimit", parse.MaxText, repeat(`"`, `\"`, `";r=1`), parse.ErrTooLong},
		{"name that is a Token", "RateLimit", parse.MaxText, repeat("", "a", ";r=1"), parse.ErrTooLong},
		{"partition key", "RateLimit", parse.MaxText, base64Text("a;r=1;pk=:", ":"), parse.ErrTooLong},
		{"name", "RateLimit-Policy", parse.MaxText, repeat(`"`, "a", `";q=1`), parse.ErrTooLong},
		{"unit", "RateLimit-Policy", parse.MaxText, repeat(`a;q=1;qu="`, "a", `"`), parse.ErrTooLong},
		{"partition key", "RateLimit-Policy", parse.MaxText, base64Text("a;q=1;pk=:", ":"), parse.ErrTooLong},
		{"name", "X-RateLimit-Bucket", parse.MaxText, repeat("", "a", ""), parse.ErrTooLong},

		{"digits", "Retry-After", parse.MaxDigits, repeat("", "9", ""), parse.ErrTooLong},
		{"digits", "RateLimit-Limit", parse.MaxDigits, repeat("", "9", ""), parse.ErrTooLong},
		{"digits of a policy", "RateLimit-Limit", parse.MaxDigits, repeat("", "9", ";w=1"), parse.ErrTooLong},
		{"digits", "X-RateLimit-Remaining", parse.MaxDigits, repeat("-", "9", ""), parse.ErrTooLong},
		{"digits of a duration", "X-RateLimit-Reset", parse.MaxDigits, repeat("", "9", "h"), parse.ErrTooLong},
		{"digits", "Retry-After-Ms", parse.MaxDigits, repeat("", "9", ""), parse.ErrTooLong},
		{"digits", "X-RateLimit-Period-Ms", parse.MaxDigits, repeat("", "9", ""), parse.ErrTooLong},
	} {
		t.Run(c.field+"/"+c.name, func(t *testing.T) {
			requireBudget(t, c.field, c.budget, func(n int) []string { return []string{c.value(n)} }, c.err)
		})
	}
}

// TestBudgetOfNames checks that at most MaxNamed limits and waits with labels are kept, and the same ones whatever the order
// of the map.
func TestBudgetOfNames(t *testing.T) {
	header := func(n int) http.Header {
		h := http.Header{"Retry-After": {"5"}, "X-Ratelimit-Remaining": {"7"}, "X-Rate-Limit-Remaining": {"8"}}
		for i := range n {
			h[fmt.Sprintf("X-Ratelimit-Remaining-%06ds", i+1)] = []string{"99"}
		}
		return h
	}
	most := parse.Header(header(parse.MaxNamed))
	require.Len(t, named(&most), parse.MaxNamed)
	for _, n := range []int{parse.MaxNamed + 1, 10_000} {
		got := parse.Header(header(n))
		require.Equal(t, named(&most), named(&got))
		require.Len(t, got.Problems, 1)
		require.ErrorIs(t, got.Problems[0], parse.ErrTooMany)
		require.Equal(t, "X-RateLimit-Remaining-000065s", got.Problems[0].Field, "the first that is left out")
		require.Equal(t, most.Waits, got.Waits)
		require.Equal(t, int64(7), got.Rows[0].Remaining)
		require.Equal(t, int64(8), got.Rows[len(got.Rows)-1].Remaining)
	}
	h := http.Header{}
	for i := range 10 * parse.MaxNamed {
		h[fmt.Sprintf("X-Ratelimit-Limit-T%03d", i)] = []string{"3"}
		h[fmt.Sprintf("X-Ratelimit-Reset-T%03d", i)] = []string{"2"}
		h[fmt.Sprintf("Retry-After-T%03d", i)] = []string{"1"}
	}
	f := parse.Header(h)
	require.Len(t, named(&f), parse.MaxNamed)
	require.Len(t, f.Waits, parse.MaxNamed)
	require.Equal(t, "t000", named(&f)[0].Label)
	require.Equal(t, "t000", f.Waits[0].Label)
	require.Len(t, f.Problems, 1, "one for both")
	require.Equal(t, "Retry-After-T064", f.Problems[0].Field)
}

// TestBudgetOfPolicies checks that the fields of a limit have only so many policies as a client can use, and one more.
func TestBudgetOfPolicies(t *testing.T) {
	many := "5" + strings.Repeat(", 5;w=60", 50)
	f := parse.Header(http.Header{"X-Ratelimit-Limit": {many}, "X-Ratelimit-Policy": {many[len("5, "):]}})
	require.Len(t, f.Rows, 1+parse.MaxNamed+1)
}

// base64Text makes texts of n base64 letters, or n+1 if n letters cannot be decoded.
func base64Text(before, behind string) func(n int) string {
	return func(n int) string {
		if n%4 == 1 {
			n++
		}
		return before + strings.Repeat("A", n) + behind
	}
}
