package validate_test

import (
	"testing"
	"time"

	"github.com/headway-go/headway/validate"
)

// Without a Date and a time of receipt no point in time counts. A Date is believed up to a year from the point.
func TestClocks(t *testing.T) {
	epoch := []string{"X-RateLimit-Remaining: 5", "X-RateLimit-Reset: 1772625630"} // 30 s from receipt
	with := func(date string) []string { return append([]string{"Date: " + date}, epoch...) }
	halfAMinute := limitList(limit(unknown, 5, unknown, 30*s))
	unbounded := validate.Bounds{MaxReset: -1}
	run(t, []row{
		{
			name: "Date 366 days back is used", header: with("Mon, 03 Mar 2025 12:00:30 GMT"), bounds: unbounded,
			limits: limitList(limit(unknown, 5, unknown, 366*24*time.Hour)),
		},
		{name: "Date a second further back is not", header: with("Mon, 03 Mar 2025 12:00:29 GMT"), bounds: unbounded, limits: halfAMinute},
		{
			name: "a point 366 days ahead is clamped", header: []string{date, "X-RateLimit-Remaining: 5", "X-RateLimit-Reset: 1804248000"},
			limits: limitList(limit(unknown, 5, unknown, validate.DefaultMaxReset)), problems: []string{"X-RateLimit-Reset: " + string(validate.TooLong)},
		},
		{
			name: "a second later is no time", header: []string{date, "X-RateLimit-Remaining: 5", "X-RateLimit-Reset: 1804248001"},
			limits: limitList(limit(unknown, 5, unknown, unknown)), problems: []string{"X-RateLimit-Reset: " + string(validate.TooFar)},
		},
		{
			name: "no clock at all", noClock: true, header: epoch, limits: limitList(limit(unknown, 5, unknown, unknown)),
			problems: []string{"X-RateLimit-Reset: " + string(validate.NoClock)},
		},
		{
			name: "delays need no clock", noClock: true, limits: halfAMinute, hasWait: true, wait: 9 * s,
			header: []string{"Date: Thu, 01 Jan 1970 00:00:00 GMT", "X-RateLimit-Remaining: 5", "X-RateLimit-Reset: 30", "Retry-After: 9"},
		},
	})
}
