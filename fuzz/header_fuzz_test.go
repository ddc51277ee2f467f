package fuzz

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/parse"
)

// FuzzHeader reads the fields of a response.
func FuzzHeader(f *testing.F) {
	for _, response := range responses(f) {
		f.Add(response)
	}
	f.Add("X-RateLimit-Max: a\nX-RateLimit-Limit: b\nx-ratelimit-max: c\nx-ratelimit-limit: d")
	for _, name := range seedNames() {
		for _, value := range []string{"5", "600,30000", "1m0.5s", "-1", "100, 100;w=60", "18/50", "core"} {
			f.Add(name + ": " + value)
		}
	}
	f.Fuzz(func(t *testing.T, response string) {
		h := header(response)
		got := parse.Header(h)
		require.Equal(t, got, parse.Header(h), "whatever the order of the map")
		checkFields(t, h, got)
		if got.IsUsual {
			got.IsUsual = false
			h["Age"] = []string{"0"}
			require.Equal(t, got, parse.Header(h), "the fast way reads the same")
		}
	})
}

// seedNames has names of all parts, in some families, with and without labels, and names that have parsers of their own.
func seedNames() []string {
	names := []string{
		"X-Retry-In", "X-Ratelimit-Retry-After-Seconds", "X-Rate-Limit-Retry-After", "X-Quota-Reset",
		"X-Ratelimit-Endpoint-Name", "Requestlimit-Write-Retryafter", "Akamai-Sync-Ratelimit-Limit", "Retry-After-Burst",
	}
	for _, part := range []string{
		"Limit", "Max", "Burst-Capacity", "Remaining", "Used", "Observed", "Reset", "ResetTime", "Reset-After", "Period", "Interval-Ms",
		"FillRate", "Replenish-Rate", "Bucket", "Resource", "Policy", "Scope",
	} {
		names = append(names, "X-RateLimit-"+part, "RateLimit-"+part+"-Input-Tokens", "X-Rate-Limit-Minute-"+part, "X-Discogs-RateLimit-"+part)
	}
	return names
}

// checkFields checks the properties of everything that is read from a header.
func checkFields(t *testing.T, h http.Header, f parse.Fields) {
	t.Helper()
	require.LessOrEqual(t, len(rowsOf(&f, limits.DialectNamed)), parse.MaxNamed)
	for _, row := range f.Rows {
		require.NotZero(t, row.Family)
		require.NotEmpty(t, row.Unit)
		require.LessOrEqual(t, len(row.Label), 64+parse.MaxDigits, "that of a name, and a quota")
		checkRow(t, row)
	}
	require.LessOrEqual(t, len(f.Waits), parse.MaxNamed)
	for _, w := range f.Waits {
		require.Equal(t, w.Kind == parse.WaitNamed, w.Label != "")
		require.LessOrEqual(t, len(w.Label), 40)
		require.NotEqual(t, parse.Absent, w.When.Form)
		checkForm(t, w.When)
		require.GreaterOrEqual(t, w.When.After, time.Duration(0), "a time to wait")
	}
	require.GreaterOrEqual(t, f.Age, time.Duration(0))
	checkProblems(t, h, f.Problems)
}

// checkRow checks that every number is known or Unknown, and that numbers that must not be negative or
// 0 are not.
func checkRow(t *testing.T, c parse.Row) {
	t.Helper()
	require.True(t, c.Limit >= parse.Unknown && c.Used >= parse.Unknown, "%+v", c)
	require.True(t, c.HasRemaining || c.Remaining == parse.Unknown, "%+v", c)
	require.True(t, c.Window == parse.Unknown || c.Window > 0, "%+v", c)
	require.LessOrEqual(t, len(c.Name), parse.MaxText)
	for _, w := range []parse.When{c.Reset, c.ResetAfter} {
		checkForm(t, w)
	}
	require.True(t, !c.IsPolicy || c.Limit >= 0 && !c.HasRemaining, "%+v", c)
}

func checkForm(t *testing.T, w parse.When) {
	t.Helper()
	switch w.Form {
	case parse.Absent:
		require.Zero(t, w)
	case parse.Delay:
		require.Zero(t, w.At)
	case parse.Date:
		require.Zero(t, w.After)
	}
}

// checkProblems checks that each spelling of a field has at most one problem, and that the problem names a field of the
// header, an offset in its value, and one of the Err values.
func checkProblems(t *testing.T, h http.Header, problems []*parse.Error) {
	t.Helper()
	seen := map[string]int{}
	for _, p := range problems {
		seen[p.Field]++
		longest, spellings := -1, 0
		for name, lines := range h {
			if foldName(name) == foldName(p.Field) {
				spellings++
				longest = max(longest, len(strings.Join(lines, ", ")))
			}
		}
		require.LessOrEqual(t, seen[p.Field], spellings, "problems for %s", p.Field)
		require.True(t, p.Offset >= -1 && p.Offset <= longest, "%s at %d of %d", p.Field, p.Offset, longest)
		require.Contains(t, parseErrors(), p.Err)
		require.EqualError(t, p, "parse: "+p.Field+": "+p.Err.Error())
	}
}

// foldName returns a name in lower case. Only ASCII letters have a case in field names.
func foldName(name string) string {
	b := []byte(name)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c - 'A' + 'a'
		}
	}
	return string(b)
}

// rowsOf returns the rows of a family, without the policies of -Limit fields.
func rowsOf(f *parse.Fields, family limits.Dialect) (all []parse.Row) {
	for _, row := range f.Rows {
		if row.Family == family && !row.IsPolicy {
			all = append(all, row)
		}
	}
	return all
}
