package parse_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
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

func readRateLimit(lines []string) ([]serviceLimit, error) {
	return readField("RateLimit", lines, serviceLimits)
}

func readPolicy(lines []string) ([]policy, error) {
	return readField("RateLimit-Policy", lines, policies)
}

func readLimit(lines []string) (counts, error) { return readField("RateLimit-Limit", lines, trioOf) }

func readRemaining(lines []string) (int64, error) {
	return readField("RateLimit-Remaining", lines, func(f *parse.Fields) int64 {
		if !trioOf(f).HasRemaining {
			return unknown
		}
		return trioOf(f).Remaining
	})
}

func readUsed(lines []string) (int64, error) {
	return readField("X-RateLimit-Used", lines, func(f *parse.Fields) int64 {
		if !xRateLimit(f).Present {
			return unknown
		}
		return xRateLimit(f).Used
	})
}

func readReset(lines []string) (parse.When, error) {
	return readField("RateLimit-Reset", lines, func(f *parse.Fields) parse.When { return trioOf(f).Reset })
}

func readResetAfter(lines []string) (parse.When, error) {
	return readField("X-RateLimit-Reset-After", lines, func(f *parse.Fields) parse.When { return xRateLimit(f).ResetAfter })
}

func readRetryAfter(lines []string) (parse.When, error) {
	return readField("Retry-After", lines, waitOf)
}

// waitOf returns the first time to wait; the zero When if there is none.
func waitOf(f *parse.Fields) (w parse.When) {
	if len(f.Waits) > 0 {
		w = f.Waits[0].When
	}
	return w
}

// The forms in which tests say what they expect of rows.
type (
	serviceLimit struct {
		Name                    string
		Quota, Remaining, Reset int64
		PartitionKey            string
	}
	policy struct {
		Name          string
		Quota, Window int64
		Unit          limits.Unit
		PartitionKey  string
	}
	counts struct {
		Present, HasRemaining, IsPeriod, Unlimited bool

		Limit, Remaining, Used int64
		Reset, ResetAfter      parse.When
		Window                 time.Duration
		Policies               []policy
		Name                   string
	}
)

func secondsOf(d time.Duration) int64 {
	if d == unknown {
		return unknown
	}
	return int64(d / time.Second)
}

func policyOf(row *parse.Row) policy {
	return policy{row.Name, row.Limit, secondsOf(row.Window), row.Unit, row.Key}
}

// countsOf returns what a row says, and the policies of its fields.
func countsOf(f *parse.Fields, row *parse.Row) counts {
	c := counts{
		true, row.HasRemaining, row.IsPeriod, row.Unlimited,
		row.Limit, row.Remaining, row.Used, row.Reset, row.ResetAfter, row.Window, nil, row.Name,
	}
	for _, p := range f.Rows {
		if p.IsPolicy && p.Names == row.Names {
			c.Policies = append(c.Policies, policyOf(&p))
		}
	}
	return c
}

// rowsOf returns the rows of families, without the policies of -Limit fields.
func rowsOf(f *parse.Fields, families ...limits.Dialect) (all []parse.Row) {
	for _, row := range f.Rows {
		if slices.Contains(families, row.Family) && row.IsPolicy == (row.Family == limits.DialectPolicy) {
			all = append(all, row)
		}
	}
	return all
}

func named(f *parse.Fields) []parse.Row { return rowsOf(f, limits.DialectNamed) }

func family(f *parse.Fields, d limits.Dialect) (c counts) {
	for _, row := range rowsOf(f, d) {
		c = countsOf(f, &row)
	}
	return c
}

func trioOf(f *parse.Fields) counts { return family(f, limits.DialectTrio) }

func xRateLimit(f *parse.Fields) counts { return family(f, limits.DialectXRateLimit) }

func xDashed(f *parse.Fields) counts { return family(f, limits.DialectXDashed) }

func serviceLimits(f *parse.Fields) (all []serviceLimit) {
	for _, row := range rowsOf(f, limits.DialectRateLimit, limits.DialectDraft07) {
		reset := int64(unknown)
		if row.Reset.Form == parse.Delay {
			reset = secondsOf(row.Reset.After)
		}
		all = append(all, serviceLimit{row.Name, row.Limit, row.Remaining, reset, row.Key})
	}
	return all
}

func policies(f *parse.Fields) (all []policy) {
	for _, row := range rowsOf(f, limits.DialectPolicy) {
		all = append(all, policyOf(&row))
	}
	return all
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
	for _, l := range serviceLimits(f) {
		lines = append(lines, fmt.Sprintf("RateLimit %+v", l))
	}
	for _, p := range policies(f) {
		lines = append(lines, fmt.Sprintf("RateLimit-Policy %+v", p))
	}
	for _, c := range []struct {
		family string
		counts counts
	}{{"RateLimit", trioOf(f)}, {"X-RateLimit", xRateLimit(f)}, {"X-Rate-Limit", xDashed(f)}} {
		if c.counts.Present {
			lines = append(lines, c.family+describeCounts(&c.counts))
		}
	}
	for _, row := range named(f) {
		lines = append(lines, describeNamed(f, &row))
	}
	kinds := [...]string{parse.WaitFine: "fine", parse.WaitUsual: "retry-after", parse.WaitInstead: "other-wait", parse.WaitNamed: "wait"}
	for _, w := range f.Waits {
		line := kinds[w.Kind]
		if w.Label != "" {
			line += fmt.Sprintf(" %q", w.Label)
		}
		lines = append(lines, line+" "+describeWhen(w.When))
	}
	for _, p := range f.Problems {
		lines = append(lines, fmt.Sprintf("problem %s at %d: %v", p.Field, p.Offset, p.Err))
	}
	return lines
}

func describeNamed(f *parse.Fields, n *parse.Row) string {
	line := fmt.Sprintf("other %q", n.Label)
	if n.Unit != limits.Requests {
		line += " unit=" + string(n.Unit)
	}
	c := countsOf(f, n)
	return line + describeCounts(&c)
}

func describeCounts(c *counts) (line string) {
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

// readHeader returns what get takes from a header.
func readHeader[T any](h http.Header, get func(f *parse.Fields) T) T {
	f := parse.Header(h)
	return get(&f)
}
