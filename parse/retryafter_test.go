package parse_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/parse"
)

func delay(d time.Duration) parse.When { return parse.When{Form: parse.Delay, After: d} }

// bare returns the When of a plain number in a -Reset field.
func bare(d time.Duration) parse.When { return parse.When{Form: parse.Delay, After: d, Bare: true} }

// date returns the When of an RFC 3339 timestamp.
func date(t *testing.T, s string) parse.When {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, s)
	require.NoError(t, err)
	return parse.When{Form: parse.Date, At: at.UTC()}
}

// A whenRow is the value of a field for a time, and the expected result.
type whenRow struct {
	name   string
	value  string
	delay  time.Duration
	date   string // RFC 3339; "" for a delay
	bare   bool
	err    error
	offset int
}

func testWhen(t *testing.T, read func([]string) (parse.When, error), rows []whenRow) {
	t.Helper()
	for _, c := range rows {
		t.Run(c.name, func(t *testing.T) {
			got, err := read([]string{c.value})
			requireFault(t, err, c.err, c.offset)
			switch {
			case c.err != nil:
				require.Zero(t, got)
			case c.date != "":
				require.Equal(t, date(t, c.date), got)
			default:
				require.Equal(t, parse.When{Form: parse.Delay, After: c.delay, Bare: c.bare}, got)
			}
		})
	}
}

func TestRetryAfter(t *testing.T) {
	testWhen(t, readRetryAfter, []whenRow{
		{name: "seconds", value: "30", delay: 30 * time.Second},
		{name: "decimal that is whole", value: "2.0", delay: 2 * time.Second},
		{name: "decimal", value: "0.25", delay: 250 * time.Millisecond},
		{name: "zeros", value: "0.000"},
		{name: "an epoch in milliseconds", value: "1772625630000", date: "2026-03-04T12:00:30Z"},
		{name: "an epoch in microseconds", value: "1772625630000000", date: "2026-03-04T12:00:30Z"},
		{name: "an epoch in nanoseconds", value: "1772625630000000000", date: "2026-03-04T12:00:30Z"},
		{name: "an epoch of 1973 is none", value: "100000000000", delay: math.MaxInt64},
		{name: "nor is one of 2001", value: "999999999999999", delay: math.MaxInt64},
		{name: "the digits of a date", value: "20260304120000", err: parse.ErrRange},
		{name: "the last epoch", value: "4000000000000000000", date: "2096-10-02T07:06:40Z"},
		{name: "beyond it", value: "4200000000000000000", delay: math.MaxInt64},
		{name: "unsigned 64 bits", value: "18446744073709551615", delay: math.MaxInt64},
		{name: "32 bits", value: "2147483647", delay: 2147483647 * time.Second},
		{name: ".NET's ticks", value: "639081216000000000", err: parse.ErrRange},
		{name: "hours, minutes and seconds", value: "01:00:30", delay: time.Hour + 30*time.Second},
		{name: "zero", value: "0"},
		{name: "leading zeros", value: "007", delay: 7 * time.Second},
		{name: "white space", value: " \t5\t ", delay: 5 * time.Second},
		{name: "never cut to nothing", value: "0.00000000001", delay: 1},
		{name: "rounded up", value: "1.9999999999", delay: 2 * time.Second},
		{name: "Jira Data Center", value: "9223372036854775807", delay: math.MaxInt64},
		{name: "JavaScript's greatest integer", value: "9007199254740991", delay: math.MaxInt64},
		{name: "just what a Duration holds", value: "9223372036.854775807", delay: math.MaxInt64},
		{name: "292 years", value: "9223372037", delay: math.MaxInt64},
		{name: "100 digits", value: strings.Repeat("9", 100), delay: math.MaxInt64},
		{name: "101 digits", value: strings.Repeat("9", 101), err: parse.ErrTooLong, offset: 101},
		{name: "99999999999", value: "99999999999", delay: math.MaxInt64},

		{name: "IMF-fixdate", value: "Tue, 14 Mar 2017 16:16:00 GMT", date: "2017-03-14T16:16:00Z"},
		{name: "RFC 850", value: "Sunday, 06-Nov-94 08:49:37 GMT", date: "1994-11-06T08:49:37Z"},
		{name: "asctime", value: "Sun Nov  6 08:49:37 1994", date: "1994-11-06T08:49:37Z"},
		{name: "go-limiter", value: "Tue, 06 Aug 2024 20:53:48 UTC", date: "2024-08-06T20:53:48Z"},
		{name: "offset", value: "Tue, 23 Jun 2020 13:49:57 +0000", date: "2020-06-23T13:49:57Z"},
		{name: "Zoom", value: "2020-09-08T13:25:00Z", date: "2020-09-08T13:25:00Z"},

		{name: "empty", value: "", err: parse.ErrMissing, offset: -1},
		{name: "blank", value: " \t", err: parse.ErrMissing, offset: -1},
		{name: "plus", value: "+1", delay: time.Second},
		{name: "unit", value: "5s", delay: 5 * time.Second},
		{name: "repeated by a proxy", value: "5, 5", delay: 5 * time.Second},
		{name: "parameter", value: "5;a=1", delay: 5 * time.Second},
		{name: "minus", value: "-1", err: parse.ErrRange},
		{name: "negative duration", value: "-1s", err: parse.ErrRange},
		{name: "different numbers", value: "5, 6", err: parse.ErrConflict, offset: 3},
		{name: "NaN", value: "NaN", err: parse.ErrTime},
		{name: "Inf", value: "Inf", err: parse.ErrTime},
		{name: "hexadecimal", value: "0x10", err: parse.ErrTime, offset: 1},
		{name: "underscore", value: "1_000", err: parse.ErrTime, offset: 1},
		{name: "exponent", value: "1e3", err: parse.ErrTime, offset: 1},
		{name: "word", value: "5 seconds", err: parse.ErrTime, offset: 1},
		{name: "quotes", value: `"5"`, err: parse.ErrTime},
		{name: "control character", value: "5\x00", err: parse.ErrTime, offset: 1},
		{name: "line feed", value: "5\n", err: parse.ErrTime, offset: 1},
		{name: "digits of another script", value: "٣", err: parse.ErrTime},
		{name: "full-width digits", value: "５", err: parse.ErrTime},
		{name: "no-break space", value: "5\u00a0", err: parse.ErrTime, offset: 1},
		{name: "nothing before the point", value: ".5", err: parse.ErrTime},
		{name: "nothing behind the point", value: "5.", err: parse.ErrTime, offset: 2},
		{name: "two points", value: "1.2.3", err: parse.ErrTime, offset: 3},
		{name: "date of a word", value: "tomorrow", err: parse.ErrTime},
	})
}

func TestRetryAfterLines(t *testing.T) {
	for _, c := range []struct {
		name   string
		lines  []string
		want   parse.When
		err    error
		offset int
	}{
		{name: "equal", lines: []string{"5", "5.0"}, want: delay(5 * time.Second)},
		{name: "longest wait", lines: []string{"5", "7", "6"}, want: delay(7 * time.Second), err: parse.ErrConflict, offset: 3},
		{name: "latest date", lines: []string{"2020-09-08T13:25:00Z", "2020-09-08T13:25:01Z"}, want: date(t, "2020-09-08T13:25:01Z"), err: parse.ErrConflict, offset: 22},
		{name: "a delay and a date", lines: []string{"7", "2020-09-08T13:25:00Z"}, want: delay(7 * time.Second), err: parse.ErrConflict, offset: 3},
		{name: "one of them malformed", lines: []string{"x", "7"}, want: delay(7 * time.Second), err: parse.ErrTime},
		{name: "second malformed", lines: []string{"7", "1e"}, want: delay(7 * time.Second), err: parse.ErrTime, offset: 4},
		{name: "none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := readRetryAfter(c.lines)
			requireFault(t, err, c.err, c.offset)
			require.Equal(t, c.want, got)
		})
	}
}
