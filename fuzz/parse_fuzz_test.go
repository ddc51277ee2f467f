package fuzz

import (
	"errors"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/parse"
)

// checkError checks that an error of a parser is an *parse.Error whose offset is inside the joined value.
func checkError(t *testing.T, lines []string, err error) {
	t.Helper()
	if err == nil {
		return
	}
	var e *parse.Error
	require.ErrorAs(t, err, &e)
	require.NotEmpty(t, e.Field)
	require.Error(t, e.Err)
	require.GreaterOrEqual(t, e.Offset, -1)
	require.LessOrEqual(t, e.Offset, len(strings.Join(lines, ", ")))
}

// readTwice splits value into lines and returns them with the result of read. It checks that reading
// twice gives the same result.
func readTwice[T any](t *testing.T, value string, read func([]string) (T, error)) (lines []string, got T, err error) {
	t.Helper()
	lines = strings.Split(value, "\n")
	got, err = read(lines)
	checkError(t, lines, err)
	again, err2 := read(lines)
	require.Equal(t, got, again)
	require.Equal(t, err, err2)
	return lines, got, err
}

// readField reads the lines of one field with Header. It returns what get takes from the result, and the field's Problem.
func readField[T any](name string, lines []string, get func(f *parse.Fields) T) (got T, err error) {
	f := parse.Header(http.Header{name: lines})
	if len(f.Problems) > 0 {
		err = f.Problems[0]
	}
	return get(&f), err
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

// readRow reads the lines of a field of one limit; the Row is zero if there is none.
func readRow(name string, lines []string) (parse.Row, error) {
	return readField(name, lines, func(f *parse.Fields) (row parse.Row) {
		if len(f.Rows) > 0 {
			row = f.Rows[0]
		}
		return row
	})
}

func readRateLimit(lines []string) ([]parse.Row, error) {
	return readField("RateLimit", lines, func(f *parse.Fields) []parse.Row { return f.Rows })
}

func readPolicy(lines []string) ([]parse.Row, error) {
	return readField("RateLimit-Policy", lines, func(f *parse.Fields) []parse.Row { return f.Rows })
}

// readLimit returns the limit and its policies.
func readLimit(lines []string) ([]parse.Row, error) {
	return readField("RateLimit-Limit", lines, func(f *parse.Fields) []parse.Row { return f.Rows })
}

func readRemaining(lines []string) (int64, error) {
	row, err := readRow("RateLimit-Remaining", lines)
	if !row.HasRemaining {
		return parse.Unknown, err
	}
	return row.Remaining, err
}

func readUsed(lines []string) (int64, error) {
	row, err := readRow("X-RateLimit-Used", lines)
	if row.Family == 0 {
		return parse.Unknown, err
	}
	return row.Used, err
}

func readReset(lines []string) (parse.When, error) {
	row, err := readRow("RateLimit-Reset", lines)
	return row.Reset, err
}

func readResetAfter(lines []string) (parse.When, error) {
	row, err := readRow("X-RateLimit-Reset-After", lines)
	return row.ResetAfter, err
}

func readRetryAfter(lines []string) (parse.When, error) {
	return readField("Retry-After", lines, func(f *parse.Fields) (w parse.When) {
		if len(f.Waits) > 0 {
			w = f.Waits[0].When
		}
		return w
	})
}

func FuzzRateLimit(f *testing.F) {
	addLines(f, "ratelimit")
	f.Fuzz(func(t *testing.T, value string) {
		lines, got, _ := readTwice(t, value, readRateLimit)
		joined, _ := readRateLimit([]string{strings.Join(lines, ", ")})
		if len(lines) <= parse.MaxLines {
			require.Equal(t, got, joined, "several lines are one list")
		}
		for _, l := range got {
			require.True(t, l.Remaining >= 0 || l.Reset.Form == parse.Delay && l.Reset.After >= 0, "%+v tells nothing", l)
			for _, n := range []int64{l.Limit, l.Remaining} {
				require.True(t, n >= parse.Unknown && n < 1e15, "%d", n)
			}
			require.LessOrEqual(t, len(l.Name), parse.MaxText)
			require.LessOrEqual(t, len(l.Key), parse.MaxText)
		}
	})
}

func FuzzRateLimitPolicy(f *testing.F) {
	addLines(f, "ratelimit-policy")
	f.Fuzz(func(t *testing.T, value string) {
		_, got, err := readTwice(t, value, readPolicy)
		for _, p := range got {
			require.True(t, p.Limit >= 0 && p.Limit < 1e15, "%+v", p)
			require.True(t, p.Window == parse.Unknown || p.Window > 0, "%+v", p)
			require.NotEmpty(t, p.Unit)
			require.LessOrEqual(t, len(p.Name), parse.MaxText)
			require.LessOrEqual(t, len(p.Key), parse.MaxText)
		}
		checkTrioReadsPolicies(t, value, got, err)
	})
}

// checkTrioReadsPolicies checks that RateLimit-Limit accepts the policies of drafts 04 to 07. Earlier
// drafts had these policies in RateLimit-Limit, and its grammar accepts more.
func checkTrioReadsPolicies(t *testing.T, value string, policies []parse.Row, err error) {
	t.Helper()
	for _, p := range policies {
		if err != nil || p.Name != "" {
			return
		}
	}
	if len(policies) == 0 || strings.ContainsAny(value, "\"\n") || strings.Contains(value, "name") || strings.Contains(value, "window") {
		return
	}
	c, err := readLimit([]string{value})
	if err == nil {
		require.Len(t, c, 1+len(policies), "%q", value)
		for i, p := range policies {
			p.Family, p.Names = c[0].Family, c[0].Names
			require.Equal(t, p, c[1+i], "%q", value)
		}
		require.Equal(t, policies[0].Limit, c[0].Limit)
	}
}

func FuzzLimit(f *testing.F) {
	addLines(f, "limit-limit")
	f.Fuzz(func(t *testing.T, value string) {
		_, rows, err := readTwice(t, value, readLimit)
		if len(rows) == 0 {
			require.Error(t, err)
			return
		}
		got := rows[0]
		require.True(t, got.Limit >= parse.Unknown && got.Used >= parse.Unknown, "%+v", got)
		require.True(t, got.Window == parse.Unknown || got.Window > 0, "%+v", got)
		require.Equal(t, int64(parse.Unknown), got.Remaining)
		for _, p := range rows[1:] {
			require.True(t, p.IsPolicy && p.Limit >= 0 && p.Window > 0, "%+v", p)
		}
	})
}

func FuzzRemaining(f *testing.F) {
	addLines(f, "-remaining")
	f.Fuzz(func(t *testing.T, value string) {
		_, got, err := readTwice(t, value, readRemaining)
		if n, ok := plainInteger(value); ok {
			require.NoError(t, err)
			require.Equal(t, n, got)
		}
	})
}

func FuzzUsed(f *testing.F) {
	addLines(f, "-used")
	f.Fuzz(func(t *testing.T, value string) {
		lines, got, err := readTwice(t, value, readUsed)
		require.GreaterOrEqual(t, got, int64(parse.Unknown))
		if n, ok := plainInteger(value); ok && n >= 0 {
			require.NoError(t, err)
			require.Equal(t, n, got)
		}
		if r, rerr := readRemaining(lines); err == nil && len(lines) == 1 {
			require.NoError(t, rerr, "what is a count for Used is one for Remaining")
			require.Contains(t, []int64{r, r + 1}, got, "a fraction is rounded up")
		}
	})
}

// plainInteger reads an integer with strconv, if the value is unambiguous.
func plainInteger(value string) (int64, bool) {
	if !regexp.MustCompile(`^-?[0-9]{1,18}$`).MatchString(value) {
		return 0, false
	}
	n, err := strconv.ParseInt(value, 10, 64)
	return n, err == nil
}

func FuzzReset(f *testing.F) {
	addLines(f, "-reset")
	f.Fuzz(func(t *testing.T, value string) {
		_, got, err := readTwice(t, value, readReset)
		checkWhen(t, got, err)
		if at, err := time.Parse(time.RFC3339, value); err == nil && at.Year() > 0 && canonicalTimestamp.MatchString(value) {
			got.At = got.At.Truncate(time.Nanosecond)
			require.Equal(t, parse.Date, got.Form, "RFC 3339: %q", value)
			require.InDelta(t, 0, got.At.Sub(at), 1)
		}
		if d, err := time.ParseDuration(value); err == nil && d > 0 && canonicalDuration.MatchString(value) {
			require.Equal(t, parse.Delay, got.Form, "duration: %q", value)
			require.InDelta(t, d.Seconds(), got.After.Seconds(), 1e-6)
		}
	})
}

// canonicalTimestamp excludes what time.Parse accepts and RFC 3339 §5.6 does not: hours of one digit, a
// comma before the fraction, zones out of range.
var canonicalTimestamp = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-][01]\d:[0-5]\d)$`)

// canonicalDuration excludes what time.ParseDuration accepts and package parse does not: a point without
// digits on both sides, and signs.
var canonicalDuration = regexp.MustCompile(`^([0-9]{1,5}(\.[0-9]{1,5})?(h|m|s|ms|us|ns))+$`)

func FuzzResetAfter(f *testing.F) {
	addLines(f, "-reset-after")
	addLines(f, "-reset")
	f.Fuzz(func(t *testing.T, value string) {
		lines, got, err := readTwice(t, value, readResetAfter)
		checkWhen(t, got, err)
		if _, rerr := readReset(lines); err == nil && rerr != nil {
			// Of two lines, Reset may read one as a delay and one as an epoch. It does not read ticks of .NET, nor
			// what may be a time of day.
			isOther := errors.Is(rerr, parse.ErrRange) || errors.Is(rerr, parse.ErrTime) && strings.Contains(value, ":")
			require.True(t, isOther || errors.Is(rerr, parse.ErrConflict), "what is a delay for Reset-After can be read as Reset")
		}
	})
}

func FuzzRetryAfter(f *testing.F) {
	addLines(f, "retry-after")
	f.Fuzz(func(t *testing.T, value string) {
		lines, got, err := readTwice(t, value, readRetryAfter)
		checkWhen(t, got, err)
		require.GreaterOrEqual(t, got.After, time.Duration(0))
		if err == nil {
			checkStricterThanReset(t, lines, got)
		}
		if at, err := http.ParseTime(value); err == nil && isHTTPDate(at, value) {
			require.Equal(t, parse.When{Form: parse.Date, At: at.UTC()}, got, "net/http reads %q", value)
		}
		if n, ok := plainInteger(value); ok && value[0] != '-' && n < math.MaxInt64/int64(time.Second) {
			require.Equal(t, parse.When{Form: parse.Delay, After: time.Duration(n) * time.Second}, got)
		}
	})
}

// isHTTPDate reports whether value is at in a form of RFC 9110 §5.6.7. http.ParseTime accepts more forms.
func isHTTPDate(at time.Time, value string) bool {
	for _, layout := range []string{http.TimeFormat, "Monday, 02-Jan-06 15:04:05 GMT", time.ANSIC} {
		if at.Format(layout) == value {
			return true
		}
	}
	return false
}

// checkStricterThanReset checks that the reset fields accept every Retry-After, with the same meaning.
func checkStricterThanReset(t *testing.T, lines []string, got parse.When) {
	t.Helper()
	read := readReset
	if got.Form == parse.Delay {
		read = readResetAfter
	}
	w, err := read(lines)
	require.NoError(t, err)
	require.Equal(t, got, w)
}

func checkWhen(t *testing.T, w parse.When, err error) {
	t.Helper()
	switch w.Form {
	case parse.Absent:
		require.Error(t, err)
		require.Zero(t, w)
	case parse.Delay:
		require.Zero(t, w.At)
	case parse.Date:
		require.Zero(t, w.After)
		require.Equal(t, time.UTC, w.At.Location())
	}
}
