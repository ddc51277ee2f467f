package validate_test

import (
	"testing"
	"time"

	"github.com/headway-go/headway/validate"
)

// TestRule04ClockSkew checks which clock a point in time is measured with.
//
// A point in time is on the server's clock, so it is measured from the response's Date plus its Age. The
// local clock is used if Date is absent or malformed. It is also used if Date is more than a year from
// the point, and the local clock is not. Delays use no clock. About half of all vendors' resets are
// points in time. express-rate-limit sets Date itself so that clients can measure its epochs.
func TestRule04ClockSkew(t *testing.T) {
	epoch := []string{"X-RateLimit-Remaining: 5", "X-RateLimit-Reset: 1772625630"} // 30 s from receipt
	with := func(date string) []string { return append([]string{"Date: " + date}, epoch...) }
	halfAMinute := limitList(limit(unknown, 5, unknown, 30*s))
	unbounded := validate.Bounds{MaxReset: -1}
	run(t, []row{
		{
			name:   "the server is 20 minutes behind",
			header: []string{"Date: Wed, 04 Mar 2026 11:40:00 GMT", "X-RateLimit-Remaining: 5", "X-RateLimit-Reset: 1772624430"},
			limits: halfAMinute,
		},
		{
			name:   "the server is 20 minutes ahead, ISO",
			header: []string{"Date: Wed, 04 Mar 2026 12:20:00 GMT", "X-RateLimit-Remaining: 5", "X-RateLimit-Reset: 2026-03-04T12:20:30Z"},
			limits: halfAMinute,
		},
		{
			name:    "a Retry-After date of a server an hour ahead",
			status:  503,
			header:  []string{"Date: Wed, 04 Mar 2026 13:00:00 GMT", "Retry-After: Wed, 04 Mar 2026 13:00:07 GMT"},
			hasWait: true, wait: 7 * s, refused: true,
		},
		{
			name:    "a Retry-After date, by Date and Age",
			status:  503,
			header:  []string{"Date: Wed, 04 Mar 2026 11:00:00 GMT", "Age: 17", "Retry-After: Wed, 04 Mar 2026 11:00:20 GMT"},
			hasWait: true, wait: 3 * s, refused: true,
		},
		{name: "no Date", header: epoch, limits: halfAMinute},
		{name: "malformed Date", header: with("today"), limits: halfAMinute},
		{name: "Date of 1970", header: with("Thu, 01 Jan 1970 00:00:00 GMT"), limits: halfAMinute},
		{name: "Date of 2099", header: with("Thu, 01 Jan 2099 00:00:00 GMT"), limits: halfAMinute},
		{
			name: "Date 300 days back is used", header: with("Thu, 08 May 2025 12:00:00 GMT"), bounds: unbounded,
			limits: limitList(limit(unknown, 5, unknown, 300*24*time.Hour+30*s)),
		},
		{name: "Date 367 days back is not", header: with("Sun, 02 Mar 2025 12:00:00 GMT"), bounds: unbounded, limits: halfAMinute},
		{name: "the local clock is of 1970", at: time.Unix(0, 0), header: with("Wed, 04 Mar 2026 12:00:00 GMT"), limits: halfAMinute},
		{
			name:     "far by both clocks",
			header:   []string{date, "X-RateLimit-Remaining: 5", "X-RateLimit-Reset: 1972625630"},
			limits:   limitList(limit(unknown, 5, unknown, unknown)),
			problems: []string{"X-RateLimit-Reset: more than a year ahead, ignored"},
		},
		{
			name:     "digits of a date",
			header:   []string{date, "X-RateLimit-Remaining: 5", "X-RateLimit-Reset: 20260304120030"},
			limits:   limitList(limit(unknown, 5, unknown, unknown)),
			problems: []string{"X-RateLimit-Reset: malformed"},
		},
		{
			name:     "ticks of .NET",
			header:   []string{date, "X-RateLimit-Remaining: 5", "X-RateLimit-Reset: 639081216300000000"},
			limits:   limitList(limit(unknown, 5, unknown, unknown)),
			problems: []string{"X-RateLimit-Reset: malformed"},
		},
		{
			name: "Retry-After is an epoch in milliseconds", status: 429,
			header:  []string{date, "Retry-After: 1772625630000"},
			hasWait: true, wait: 30 * s, refused: true,
		},
		{
			name: "Retry-After has the digits of a date", status: 429,
			header: []string{date, "Retry-After: 20260304120030"}, refused: true,
			problems: []string{"Retry-After: malformed"},
		},
		{
			name:     "no clock at all",
			noClock:  true,
			header:   epoch,
			limits:   limitList(limit(unknown, 5, unknown, unknown)),
			problems: []string{"X-RateLimit-Reset: a point in time without a Date, ignored"},
		},
		{
			name:    "delays use no clock",
			noClock: true,
			header:  []string{"Date: Thu, 01 Jan 1970 00:00:00 GMT", "X-RateLimit-Remaining: 5", "X-RateLimit-Reset: 30", "Retry-After: 9"},
			limits:  halfAMinute,
			hasWait: true, wait: 9 * s,
		},
	})
}

// TestRule31CachedResponses checks that limits of a response from a cache are ignored.
//
// The drafts say that limits with a positive Age are out of date. Retry-After is kept, as the cache may
// refuse the request itself. By rule 4 its dates are measured from Date and Age.
func TestRule31CachedResponses(t *testing.T) {
	ours := func(lines ...string) []string { return append(lines, `RateLimit: "a";r=5;t=3`) }
	valid := limitList(named("a", limit(unknown, 5, unknown, 3*s)))
	aged := []string{"Age: limits of a cached response are ignored"}
	marked := []string{"X-From-Cache: limits of a cached response are ignored"}
	run(t, []row{
		{name: "Age", header: ours("Age: 17"), problems: aged},
		{name: "Age of a second", header: ours("Age: 1"), problems: aged},
		{name: "Age 0", header: ours("Age: 0"), limits: valid},
		{name: "Age with zeros", header: ours("Age: 100"), problems: aged},
		{name: "Age with space", header: ours("Age:  \t17 "), problems: aged},
		{name: "Age, the first counts", header: ours("Age: 0, 17"), limits: valid},
		{name: "Age, the first line counts", header: ours("Age: 17", "Age: 0"), problems: aged},
		{name: "Age without end", header: ours("Age: 99999999999999999999999999"), problems: aged},
		{name: "Age 000", header: ours("Age: 000"), limits: valid},
		{name: "Age is no number", header: ours("Age: 1x"), limits: valid},
		{name: "Age negative", header: ours("Age: -1"), limits: valid},
		{name: "Age empty", header: ours("Age:"), limits: valid},
		{name: "Age without limits", header: []string{"Age: 17"}},
		{name: "X-RateLimit-*", header: []string{"Age: 17", "X-RateLimit-Limit: 10", "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 30"}, problems: aged},
		{name: "X-From-Cache", header: ours("X-From-Cache: 1"), problems: marked},
		{name: "X-From-Cache in words", header: ours("X-From-Cache: true"), problems: marked},
		{name: "X-From-Cache denied", header: ours("X-From-Cache: 0"), limits: valid},
		{name: "X-From-Cache of another meaning", header: ours("X-From-Cache: MISS"), limits: valid},
		{
			name: "Retry-After in seconds is kept whole", status: 503,
			header: []string{date, "Age: 17", "Retry-After: 20"}, hasWait: true, wait: 20 * s, refused: true,
		},
		{
			name: "Retry-After date of the client's own cache counts from now", status: 503,
			header:  []string{"Date: Wed, 04 Mar 2026 11:00:00 GMT", "X-From-Cache: 1", "Retry-After: Wed, 04 Mar 2026 12:00:20 GMT"},
			hasWait: true, wait: 20 * s, refused: true,
		},
	})
}
