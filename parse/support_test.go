package parse_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/parse"
)

// A fieldsRow has header lines, "Name: value" each, and the lines that describe writes for them.
type fieldsRow struct {
	name   string
	header []string
	want   []string
}

func testFields(t *testing.T, rows []fieldsRow) {
	t.Helper()
	for _, c := range rows {
		t.Run(c.name, func(t *testing.T) {
			f := parse.Header(headerOf(c.header...))
			require.Equal(t, c.want, describe(&f))
		})
	}
}

// readField reads the lines of one field with Header. It returns what get takes from the result, and the field's Problem.
func readField[T any](name string, lines []string, get func(f *parse.Fields) T) (got T, err error) {
	f := parse.Header(http.Header{name: lines})
	if len(f.Problems) > 0 {
		err = f.Problems[0]
	}
	return get(&f), err
}

func readRateLimit(lines []string) (parse.List[parse.ServiceLimit], error) {
	return readField("RateLimit", lines, func(f *parse.Fields) parse.List[parse.ServiceLimit] { return f.RateLimit })
}

func readPolicy(lines []string) (parse.List[parse.Policy], error) {
	return readField("RateLimit-Policy", lines, func(f *parse.Fields) parse.List[parse.Policy] { return f.Policy })
}

func readLimit(lines []string) (parse.Counts, error) {
	return readField("RateLimit-Limit", lines, func(f *parse.Fields) parse.Counts { return f.Trio })
}

func readRemaining(lines []string) (int64, error) {
	return readField("RateLimit-Remaining", lines, func(f *parse.Fields) int64 {
		if !f.Trio.HasRemaining {
			return unknown
		}
		return f.Trio.Remaining
	})
}

func readUsed(lines []string) (int64, error) {
	return readField("X-RateLimit-Used", lines, func(f *parse.Fields) int64 {
		if !f.XRateLimit.Present {
			return unknown
		}
		return f.XRateLimit.Used
	})
}

func readReset(lines []string) (parse.When, error) {
	return readField("RateLimit-Reset", lines, func(f *parse.Fields) parse.When { return f.Trio.Reset })
}

func readResetAfter(lines []string) (parse.When, error) {
	return readField("X-RateLimit-Reset-After", lines, func(f *parse.Fields) parse.When { return f.XRateLimit.ResetAfter })
}

func readRetryAfter(lines []string) (parse.When, error) {
	return readField("Retry-After", lines, func(f *parse.Fields) parse.When { return f.RetryAfter })
}

// headerOf returns a header of lines such as "Name: value", as net/http makes it.
func headerOf(lines ...string) http.Header {
	h := http.Header{}
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ":")
		h.Add(name, strings.TrimPrefix(value, " "))
	}
	return h
}

// describe returns a line for each limit, wait and problem of f:
//
//	X-RateLimit q=100 r=-1 t=5s
//	other "tokens" unit=tokens q=100 used=3 w=1m0s t=2026-03-04T12:00:00Z
//	retry-after 5s
//	problem Retry-After at 0: not a time
//
// q is -Limit, r is -Remaining, w is the window, t is -Reset, after is -Reset-After.
func describe(f *parse.Fields) (lines []string) {
	for _, l := range f.RateLimit.All() {
		lines = append(lines, fmt.Sprintf("RateLimit %+v", l))
	}
	for _, p := range f.Policy.All() {
		lines = append(lines, fmt.Sprintf("RateLimit-Policy %+v", p))
	}
	for _, c := range []struct {
		family string
		counts *parse.Counts
	}{{"RateLimit", &f.Trio}, {"X-RateLimit", &f.XRateLimit}, {"X-Rate-Limit", &f.XDashed}} {
		if c.counts.Present {
			lines = append(lines, c.family+describeCounts(c.counts))
		}
	}
	for i := range f.Named {
		lines = append(lines, describeNamed(&f.Named[i]))
	}
	for _, w := range []struct {
		family string
		when   parse.When
	}{{"retry-after", f.RetryAfter}, {"fine", f.RetryAfterFine}, {"other-wait", f.RetryAfterAlias}} {
		if w.when.Form != parse.Absent {
			lines = append(lines, w.family+" "+describeWhen(w.when))
		}
	}
	for _, w := range f.NamedWaits {
		lines = append(lines, fmt.Sprintf("wait %q %s", w.Label, describeWhen(w.Wait)))
	}
	for _, p := range f.Problems {
		lines = append(lines, fmt.Sprintf("problem %s at %d: %v", p.Field, p.Offset, p.Err))
	}
	return lines
}

func describeNamed(n *parse.Named) string {
	line := fmt.Sprintf("other %q", n.Label)
	if n.Unit != parse.Requests {
		line += " unit=" + string(n.Unit)
	}
	return line + describeCounts(&n.Counts)
}

func describeCounts(c *parse.Counts) (line string) {
	if c.Limit != unknown {
		line += fmt.Sprintf(" q=%d", c.Limit)
	}
	if c.HasRemaining {
		line += fmt.Sprintf(" r=%d", c.Remaining)
	}
	if c.Used != unknown {
		line += fmt.Sprintf(" used=%d", c.Used)
	}
	if c.Window != unknown {
		line += fmt.Sprintf(" w=%v", c.Window)
	}
	for _, w := range []struct {
		name string
		when parse.When
	}{{"t", c.Reset}, {"after", c.ResetAfter}} {
		if w.when.Form != parse.Absent {
			line += " " + w.name + "=" + describeWhen(w.when)
		}
	}
	for _, p := range c.Policies {
		line += fmt.Sprintf(" policy=%d/%d", p.Quota, p.Window)
	}
	if c.Name != "" {
		line += " name=" + c.Name
	}
	if c.Unlimited {
		line += " unlimited"
	}
	return line
}

func describeWhen(w parse.When) string {
	if w.Form == parse.Date {
		return w.At.Format(time.RFC3339Nano)
	}
	return w.After.String()
}
