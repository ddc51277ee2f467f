package parse_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/parse"
)

func TestReset(t *testing.T) {
	testWhen(t, readReset, []whenRow{
		{name: "delay", value: "312", delay: 312 * time.Second, bare: true},
		{name: "Prisjakt's milliseconds look like seconds", value: "600000", delay: 600000 * time.Second, bare: true},
		{name: "twelve days", value: "1046073", delay: 1046073 * time.Second, bare: true},
		{name: "longest delay", value: "31622400", delay: 366 * 24 * time.Hour, bare: true},
		{name: "fraction", value: "0.427", delay: 427 * time.Millisecond, bare: true},
		{name: "zero", value: "0", bare: true},
		{name: "plus", value: "+7", delay: 7 * time.Second, bare: true},
		{name: "negative", value: "-5", delay: -5 * time.Second, bare: true},
		{name: "hugely negative", value: "-99999999999999999999", delay: -math.MaxInt64, bare: true},
		{name: "delay in milliseconds", value: "31622401", delay: 31622401 * time.Millisecond},
		{name: "still milliseconds", value: "946684799", delay: 946684799 * time.Millisecond},
		{name: "first epoch", value: "946684800", date: "2000-01-01T00:00:00Z"},
		{name: "in a bubble", value: "946684860", date: "2000-01-01T00:01:00Z"},
		{name: "epoch", value: "1372700873", date: "2013-07-01T17:47:53Z"},
		{name: "Discord", value: "1470173023.123", date: "2016-08-02T21:23:43.123Z"},
		{name: "epoch in milliseconds", value: "1679587256800", date: "2023-03-23T16:00:56.8Z"},
		{name: "with a fraction", value: "1679587256800.5", date: "2023-03-23T16:00:56.8005Z"},
		{name: "in microseconds", value: "1679587256800123", date: "2023-03-23T16:00:56.800123Z"},
		{name: "in nanoseconds", value: "1679587256800123456", date: "2023-03-23T16:00:56.800123456Z"},
		{name: "saturated", value: "9223372036854775808", date: "2262-04-11T23:47:16.854775807Z"},
		{name: ".NET's ticks", value: "639081216000000000", err: parse.ErrRange},
		{name: "digits of a date", value: "20260304120030", err: parse.ErrRange},
		{name: "repeated by a proxy", value: "1372700873, 1372700873", date: "2013-07-01T17:47:53Z"},
		{name: "with a parameter", value: "60;w=60", delay: time.Minute, bare: true},

		{name: "OpenAI: milliseconds", value: "12ms", delay: 12 * time.Millisecond},
		{name: "OpenAI: minutes and seconds", value: "6m0s", delay: 6 * time.Minute},
		{name: "Groq", value: "2m59.56s", delay: 2*time.Minute + 59560*time.Millisecond},
		{name: "Groq: seconds", value: "7.66s", delay: 7660 * time.Millisecond},
		{name: "all units", value: "1d2h3m4s5ms6us7µs8μs9ns", delay: 26*time.Hour + 3*time.Minute + 4*time.Second + 5*time.Millisecond + 21*time.Microsecond + 9},
		{name: "negative duration", value: "-1.5h", delay: -90 * time.Minute},
		{name: "saturated duration", value: "999999999999h1h", delay: math.MaxInt64},

		{name: "GitHub Enterprise", value: "2025-08-21T12:40:59Z", date: "2025-08-21T12:40:59Z"},
		{name: "Mastodon", value: "2020-09-08T13:25:00.019685Z", date: "2020-09-08T13:25:00.019685Z"},
		{name: "Jira: no seconds", value: "2024-05-05T18:02Z", date: "2024-05-05T18:02:00Z"},
		{name: "AspNetCoreRateLimit: seven digits", value: "2024-05-05T18:02:01.1234567Z", date: "2024-05-05T18:02:01.1234567Z"},
		{name: "lower case", value: "2024-05-05t18:02:01z", date: "2024-05-05T18:02:01Z"},
		{name: "no zone", value: "2024-05-05T18:02:01", date: "2024-05-05T18:02:01Z"},
		{name: "space", value: "2024-05-05 18:02:01", date: "2024-05-05T18:02:01Z"},
		{name: "Go", value: "2024-05-05 18:02:01.5 +0200 CEST m=+12.000345", date: "2024-05-05T16:02:01.5Z"},
		{name: "Go, without the monotonic clock", value: "2024-05-05 18:02:01 +0000 UTC", date: "2024-05-05T18:02:01Z"},
		{name: "Go, in a zone without a name", value: "2024-05-05 18:02:01 -0300 -03 m=+0.1", date: "2024-05-05T21:02:01Z"},
		{name: "minutes and seconds", value: "00:04:59", delay: 299 * time.Second},
		{name: "perhaps a time of day", value: "12:00:30", err: parse.ErrTime, offset: 2},
		{name: "Ruby", value: "2024-05-05 18:02:01 UTC", date: "2024-05-05T18:02:01Z"},
		{name: "offset", value: "2024-05-05T18:02:01+02:00", date: "2024-05-05T16:02:01Z"},
		{name: "offset without colon", value: "2024-05-05T18:02:01-0530", date: "2024-05-05T23:32:01Z"},
		{name: "leap day", value: "2024-02-29T00:00Z", date: "2024-02-29T00:00:00Z"},

		{name: "IMF-fixdate", value: "Tue, 14 Mar 2017 16:16:00 GMT", date: "2017-03-14T16:16:00Z"},
		{name: "draft-polli-00", value: "Tue, 15 Nov 1994 08:12:31 GMT", date: "1994-11-15T08:12:31Z"},
		{name: "wrong weekday", value: "Mon, 14 Mar 2017 16:16:00 GMT", date: "2017-03-14T16:16:00Z"},
		{name: "RFC 1123 with UTC", value: "Tue, 06 Aug 2024 20:53:48 UTC", date: "2024-08-06T20:53:48Z"},
		{name: "RFC 1123 with an offset", value: "Tue, 23 Jun 2020 13:49:57 +0100", date: "2020-06-23T12:49:57Z"},
		{name: "no zone in IMF-fixdate", value: "Tue, 14 Mar 2017 16:16:00", date: "2017-03-14T16:16:00Z"},
		{name: "one digit of day", value: "Tue, 6 Aug 2024 20:53:48 GMT", date: "2024-08-06T20:53:48Z"},
		{name: "RFC 850", value: "Sunday, 06-Nov-94 08:49:37 GMT", date: "1994-11-06T08:49:37Z"},
		{name: "RFC 850, this century", value: "Sunday, 06-Nov-68 08:49:37 GMT", date: "2068-11-06T08:49:37Z"},
		{name: "RFC 850, last century", value: "Sunday, 06-Nov-69 08:49:37 GMT", date: "1969-11-06T08:49:37Z"},
		{name: "asctime", value: "Sun Nov  6 08:49:37 1994", date: "1994-11-06T08:49:37Z"},
		{name: "asctime, two digits of day", value: "Sun Nov 16 08:49:37 1994", date: "1994-11-16T08:49:37Z"},
		{name: "lemlist", value: "Tue Feb 16 2021 09:02:42 GMT+0100 (Central European Standard Time)", date: "2021-02-16T08:02:42Z"},
		{name: "JavaScript without a name of the zone", value: "Tue Feb 16 2021 09:02:42 GMT-0100", date: "2021-02-16T10:02:42Z"},

		{name: "the name of a window", value: "Minute", delay: time.Minute},

		{name: "empty", value: " ", err: parse.ErrMissing, offset: -1},
		{name: "different numbers", value: "5, 60", err: parse.ErrConflict, offset: 3},
		{name: "thousands separator", value: "5,000", err: parse.ErrConflict, offset: 2},
		{name: "word", value: "never", err: parse.ErrTime},
		{name: "NaN", value: "NaN", err: parse.ErrTime},
		{name: "exponent", value: "1e9", err: parse.ErrTime, offset: 1},
		{name: "trailing junk", value: "5 requests", err: parse.ErrTime, offset: 1},
		{name: "number behind a unit", value: "5m3", err: parse.ErrTime, offset: 3},
		{name: "unknown unit", value: "5w", err: parse.ErrTime, offset: 1},
		{name: "13th month", value: "2024-13-05T18:02Z", err: parse.ErrTime, offset: 4},
		{name: "30 February", value: "Fri, 30 Feb 2024 00:00:00 GMT", err: parse.ErrTime},
		{name: "29 February of a common year", value: "2023-02-29T00:00Z", err: parse.ErrTime, offset: 4},
		{name: "25 o'clock", value: "2024-01-05T25:02Z", err: parse.ErrTime, offset: 4},
		{name: "zone of an abbreviation", value: "Tue, 14 Mar 2017 16:16:00 EST", err: parse.ErrTime},
		{name: "no seconds in IMF-fixdate", value: "Tue, 14 Mar 2017 16:16 GMT", err: parse.ErrTime},
		{name: "two digits of year in IMF-fixdate", value: "Tue, 14 Mar 17 16:16:00 GMT", err: parse.ErrTime},
		{name: "not a weekday", value: "Foo, 14 Mar 2017 16:16:00 GMT", err: parse.ErrTime},
		{name: "not a month", value: "Tue, 14 Mrz 2017 16:16:00 GMT", err: parse.ErrTime},
		{name: "date alone", value: "2024-05-05", err: parse.ErrTime, offset: 4},
		{name: "leap second", value: "2016-12-31T23:59:60Z", err: parse.ErrTime, offset: 4},
		{name: "offset out of range", value: "2024-05-05T18:02:01+25:00", err: parse.ErrTime, offset: 4},
	})
}

func TestResetLines(t *testing.T) {
	got, err := readReset([]string{"60", "30"})
	requireFault(t, err, parse.ErrConflict, 4)
	require.Equal(t, bare(time.Minute), got, "the longest wait")

	got, err = readReset(nil)
	require.NoError(t, err)
	require.Equal(t, parse.When{Form: parse.Absent}, got)
}

func TestResetAfter(t *testing.T) {
	testWhen(t, readResetAfter, []whenRow{
		{name: "Discord", value: "64.57", delay: 64570 * time.Millisecond},
		{name: "always a delay", value: "1372700873", delay: 1372700873 * time.Second},
		{name: "duration", value: "1m", delay: time.Minute},
		{name: "hours, minutes and seconds", value: "12:00:30.5", delay: 12*time.Hour + 30500*time.Millisecond},
		{name: "days in hours", value: "100:00:00", delay: 100 * time.Hour},
		{name: "no minutes", value: "12::30", err: parse.ErrTime, offset: 2},
		{name: "no seconds", value: "12:30", err: parse.ErrTime, offset: 2},
		{name: "date", value: "Tue, 14 Mar 2017 16:16:00 GMT", date: "2017-03-14T16:16:00Z"},
		{name: "negative", value: "-0.5", delay: -500 * time.Millisecond},
		{name: "word", value: "soon", err: parse.ErrTime},
	})
	got, err := readResetAfter(nil)
	require.NoError(t, err)
	require.Equal(t, parse.When{Form: parse.Absent}, got)
}
