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
			name: "Date 300 days back is used", header: with("Thu, 08 May 2025 12:00:00 GMT"), bounds: unbounded,
			limits: limitList(limit(unknown, 5, unknown, 300*24*time.Hour+30*s)),
		},
		{name: "Date 367 days back is not", header: with("Sun, 02 Mar 2025 12:00:00 GMT"), bounds: unbounded, limits: halfAMinute},
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
