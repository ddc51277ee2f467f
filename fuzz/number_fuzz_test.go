package fuzz

import (
	"errors"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/parse"
)

// FuzzCount compares the numbers of units with those that strconv reads.
func FuzzCount(f *testing.F) {
	addLines(f, "-limit")
	addLines(f, "-remaining")
	addLines(f, "-used")
	f.Add("-0")
	f.Fuzz(func(t *testing.T, value string) {
		limit, left, used := parse.NewRow(), parse.NewRow(), parse.NewRow()
		limitErr, leftErr, usedErr := limit.Read("limit", value, 0), left.Read("remaining", value, 0), used.Read("used", value, 0)
		for _, row := range []parse.Row{limit, left, used} {
			checkRow(t, row)
		}
		if limitErr == nil {
			require.True(t, limit.Limit != parse.Unknown || limit.Window != parse.Unknown || limit.Unlimited, "%+v", limit)
		}
		if n, ok := plainInteger(value); ok {
			require.NoError(t, errors.Join(limitErr, leftErr))
			require.Equal(t, n, left.Remaining)
			require.Equal(t, n < 0, limit.Unlimited)
			if n >= 0 {
				require.NoError(t, usedErr)
				require.Equal(t, n, used.Used)
			}
		}
		if usedErr == nil && left.Limit == parse.Unknown { // else it is 59 of 60
			require.NoError(t, leftErr, "what is a count for Used is one for Remaining")
			require.Contains(t, []int64{left.Remaining, left.Remaining + 1}, used.Used, "a fraction is rounded up")
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

// FuzzTime compares times with those that packages time and net/http read. -Reset and -Reset-After accept each Retry-After, with
// the same meaning.
func FuzzTime(f *testing.F) {
	addLines(f, "-reset")
	addLines(f, "-reset-after")
	addLines(f, "retry-after")
	for _, seed := range []string{"2024-05-05T1:02:01.1234567Z", "Sunday, 06-Nov-94  8:49:37 GMT", "-0", "12:30:00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		row := parse.NewRow()
		resetErr, afterErr := row.Read("reset", value, 0), row.Read("reset-after", value, 0)
		checkRow(t, row)
		require.Equal(t, resetErr == nil, row.Reset.Form != parse.Absent)
		require.Equal(t, afterErr == nil, row.ResetAfter.Form != parse.Absent)
		checkReset(t, value, row.Reset)
		if afterErr == nil && resetErr != nil { // ticks of .NET, or what may be a time of day
			require.True(t, errors.Is(resetErr, parse.ErrRange) || strings.Contains(value, ":"), "%v", resetErr)
		}
		fields := parse.Header(http.Header{"Retry-After": {value}})
		if len(fields.Waits) == 0 {
			require.NotEmpty(t, fields.Problems)
			return
		}
		wait := fields.Waits[0].When
		checkForm(t, wait)
		if wait.Form == parse.Date {
			require.Equal(t, wait, row.Reset)
		} else {
			require.Equal(t, wait, row.ResetAfter)
		}
		if at, err := http.ParseTime(value); err == nil && isHTTPDate(at, value) {
			require.Equal(t, parse.When{Form: parse.Date, At: at.UTC()}, wait, "net/http reads %q", value)
		}
		if n, ok := plainInteger(value); ok && value[0] != '-' && n < math.MaxInt64/int64(time.Second) {
			require.Equal(t, parse.When{Form: parse.Delay, After: time.Duration(n) * time.Second}, wait)
		}
	})
}

func checkReset(t *testing.T, value string, got parse.When) {
	t.Helper()
	if at, err := time.Parse(time.RFC3339, value); err == nil && at.Year() > 0 && canonicalTimestamp.MatchString(value) {
		require.Equal(t, parse.Date, got.Form, "RFC 3339: %q", value)
		require.InDelta(t, 0, got.At.Sub(at), 1)
	}
	if d, err := time.ParseDuration(value); err == nil && d > 0 && canonicalDuration.MatchString(value) {
		require.Equal(t, parse.Delay, got.Form, "duration: %q", value)
		require.InDelta(t, d.Seconds(), got.After.Seconds(), 1e-6)
	}
}

// canonicalTimestamp excludes what time.Parse accepts and RFC 3339 §5.6 does not: hours of one digit, a
// comma before the fraction, zones out of range.
var canonicalTimestamp = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-][01]\d:[0-5]\d)$`)

// canonicalDuration excludes what time.ParseDuration accepts and package parse does not: a point without
// digits on both sides, and signs.
var canonicalDuration = regexp.MustCompile(`^([0-9]{1,5}(\.[0-9]{1,5})?(h|m|s|ms|us|ns))+$`)

// isHTTPDate reports whether value is at in a form of RFC 9110 §5.6.7. http.ParseTime accepts more forms.
func isHTTPDate(at time.Time, value string) bool {
	for _, layout := range []string{http.TimeFormat, "Monday, 02-Jan-06 15:04:05 GMT", time.ANSIC} {
		if at.Format(layout) == value {
			return true
		}
	}
	return false
}
