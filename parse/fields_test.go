package parse_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/parse"
)

const unknown = parse.Unknown

// TestFields reads the headers in testdata. A case has a title, the lines of a header, a blank line, and what describe writes
// for them. Lines that begin with "#" are comments.
func TestFields(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, part := range strings.Split("\n"+string(text), "\n=== ")[1:] {
			title, rest, _ := strings.Cut(part, "\n")
			header, want, _ := strings.Cut(strings.TrimRight(rest, "\n"), "\n\n")
			t.Run(title, func(t *testing.T) {
				f := parse.Header(headerOf(header))
				require.Equal(t, want, strings.Join(describe(&f), "\n"))
			})
		}
	}
}

// The usual forms are read in a fast way, which FuzzHeader compares with the general one.
func TestUsual(t *testing.T) {
	for text, want := range map[string]bool{
		"RateLimit: \"a\";r=50;t=30\nRateLimit-Policy: \"a\";q=100;w=60":                       true,
		"X-RateLimit-Limit: 100\nX-RateLimit-Remaining: 50\nX-RateLimit-Reset: 30":             true,
		"RateLimit: \"a\";r=50;t=30\nRateLimit: \"b\";r=5\nRateLimit-Policy: \"a\";q=100;w=60": false,
		"RateLimit-Limit: 100\nX-RateLimit-Remaining: 50\nX-RateLimit-Reset: 30":               false,
	} {
		require.Equal(t, want, parse.Header(headerOf(text)).IsUsual, text)
	}
}

// headerOf returns a header of lines such as "Name: value", as net/http makes it.
func headerOf(text string) http.Header {
	h := http.Header{}
	for line := range strings.SplitSeq(text, "\n") {
		if name, value, isField := strings.Cut(line, ":"); isField && line[0] != '#' {
			h.Add(name, strings.TrimPrefix(value, " "))
		}
	}
	return h
}

// A valueRow is the value of a field, and what describe writes for it.
type valueRow struct{ name, value, want string }

// testValues reads values of one field, whose name is as net/http spells it. The beginning of a line that says which field it
// is, such as "X-RateLimit ", is left out of want.
func testValues(t *testing.T, field, beginning string, rows []valueRow) {
	t.Helper()
	for _, c := range rows {
		t.Run(c.name, func(t *testing.T) {
			f := parse.Header(http.Header{field: {c.value}})
			lines := describe(&f)
			for i, line := range lines {
				if problem, isProblem := strings.CutPrefix(line, "problem "); isProblem {
					_, lines[i], _ = strings.Cut(problem, " ")
				} else {
					lines[i] = strings.TrimPrefix(line, beginning+" ")
				}
			}
			require.Equal(t, c.want, strings.Join(lines, " | "))
		})
	}
}

// describe returns a line for each limit, wait and problem of f:
//
//	item "default" r=50 t=30s
//	draft07 q=100 r=50 t=5s
//	policy "default" unit=tokens q=100 w=1m0s
//	X-RateLimit q=100 r=-1 t=5s? policy=100/1m0s
//	other "tokens" unit=tokens q=100 used=3 w=1m0s t=2026-03-04T12:00:00Z
//	retry-after 5s
//	problem Retry-After at 0: not a time
//
// q is -Limit, r is -Remaining, w is the window, t is -Reset, after is -Reset-After. A question mark stands behind a time that
// is a number without a unit.
func describe(f *parse.Fields) (lines []string) {
	for i := range f.Rows {
		if row := &f.Rows[i]; row.IsPolicy && row.Family != limits.DialectPolicy {
			lines[len(lines)-1] += describePolicy(row)
		} else {
			lines = append(lines, describeRow(row))
		}
	}
	kinds := [...]string{parse.WaitFine: "fine", parse.WaitUsual: "retry-after", parse.WaitInstead: "other-wait", parse.WaitNamed: "wait"}
	for _, w := range f.Waits {
		line := kinds[w.Kind]
		if w.Label != "" {
			line += fmt.Sprintf(" %q", w.Label)
		}
		lines = append(lines, line+" "+describeWhen(w.When))
	}
	if f.Partition != "" {
		lines = append(lines, "partition "+f.Partition)
	}
	if f.Age > 0 || f.FromCache {
		lines = append(lines, fmt.Sprintf("age %v, from a cache: %v", f.Age, f.FromCache))
	}
	for _, p := range f.Problems {
		lines = append(lines, fmt.Sprintf("problem %s at %d: %v", p.Field, p.Offset, p.Err))
	}
	return lines
}

func describePolicy(p *parse.Row) string {
	text := " policy="
	if p.Name != "" {
		text += fmt.Sprintf("%q:", p.Name)
	}
	if p.Unit != limits.Requests {
		text += string(p.Unit) + ":"
	}
	return text + fmt.Sprintf("%d/%v", p.Limit, p.Window)
}

func describeRow(row *parse.Row) string {
	var b strings.Builder
	add := func(isKnown bool, format string, a ...any) {
		if isKnown {
			_, _ = fmt.Fprintf(&b, format, a...)
		}
	}
	add(true, "%s", map[limits.Dialect]string{
		limits.DialectRateLimit: "item", limits.DialectDraft07: "draft07", limits.DialectPolicy: "policy", limits.DialectNamed: "other",
		limits.DialectTrio: "RateLimit", limits.DialectXRateLimit: "X-RateLimit", limits.DialectXDashed: "X-Rate-Limit",
	}[row.Family])
	isItem := row.Family == limits.DialectRateLimit || row.Family == limits.DialectPolicy
	add(isItem, " %q", row.Name)
	add(row.Family == limits.DialectNamed, " %q", row.Label)
	add(row.Unit != limits.Requests, " unit=%s", row.Unit)
	add(row.Limit != unknown, " q=%d", row.Limit)
	add(row.Unlimited, " unlimited")
	add(row.HasRemaining, " r=%d", row.Remaining)
	add(row.Used != unknown, " used=%d", row.Used)
	add(row.Cost != unknown, " cost=%d", row.Cost)
	add(row.Window != unknown, " w=%v", row.Window)
	add(row.IsPeriod, "?")
	add(row.Reset.Form != parse.Absent, " t=%s", describeWhen(row.Reset))
	add(row.ResetAfter.Form != parse.Absent, " after=%s", describeWhen(row.ResetAfter))
	add(row.Key != "", " key=%s", row.Key)
	add(!isItem && row.Name != "", " name=%s", row.Name)
	return b.String()
}

func describeWhen(w parse.When) string {
	switch {
	case w.Form == parse.Date:
		return w.At.Format(time.RFC3339Nano)
	case w.Bare:
		return w.After.String() + "?"
	}
	return w.After.String()
}

// named returns the limits with labels.
func named(f *parse.Fields) (all []parse.Row) {
	for _, row := range f.Rows {
		if row.Family == limits.DialectNamed && !row.IsPolicy {
			all = append(all, row)
		}
	}
	return all
}
