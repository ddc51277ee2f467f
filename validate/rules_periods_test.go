package validate_test

import (
	"testing"
	"time"
)

// TestRule25Period: -Period, -Interval, -Window-Size and -Interval-Seconds are the
// length of the window, in seconds or as a duration: 3600 of Datadog, 1s of Crossref,
// 600s of Composio. bitFlyer's X-RateLimit-Period is the time left: it equals the
// time to the reset, and there is no limit beside it.
func TestRule25Period(t *testing.T) {
	counts := func(more ...string) []string {
		return append([]string{date, "X-RateLimit-Limit: 300", "X-RateLimit-Remaining: 299"}, more...)
	}
	run(t, []row{
		{name: "Period in seconds", header: counts("X-RateLimit-Period: 60"), limits: several(limit(300, 299, 60*s, unsaid))},
		{
			name:   "Period and a reset, as Datadog",
			header: counts("X-RateLimit-Period: 3600", "X-RateLimit-Reset: 1200"),
			limits: several(limit(300, 299, time.Hour, 1200*s)),
		},
		{
			name:   "at the beginning of a window",
			header: counts("X-RateLimit-Period: 60", "X-RateLimit-Reset: 60"),
			limits: several(limit(300, 299, 60*s, 60*s)),
		},
		{
			name:   "Interval as a duration, as Crossref",
			header: []string{"X-Rate-Limit-Limit: 50", "X-Rate-Limit-Interval: 1s"},
			limits: several(limit(50, unsaid, s, unsaid)),
		},
		{name: "Window-Size, as Composio", header: counts("X-RateLimit-Window-Size: 600s"), limits: several(limit(300, 299, 600*s, unsaid))},
		{name: "Interval-Seconds", header: counts("X-RateLimit-Interval-Seconds: 1"), limits: several(limit(300, 299, s, unsaid))},
		{
			name:   "the time left, as bitFlyer",
			header: []string{date, "X-RateLimit-Period: 284", "X-RateLimit-Remaining: 499", "X-RateLimit-Reset: 1772625884"},
			limits: several(limit(unsaid, 499, unsaid, 284*s)),
		},
		{
			name:     "no window at all",
			header:   counts("X-RateLimit-Period: 0"),
			limits:   several(limit(300, 299, unsaid, unsaid)),
			problems: []string{"X-RateLimit-Period: malformed"},
		},
		{
			name:     "a word",
			header:   counts("X-RateLimit-Period: minute"),
			limits:   several(limit(300, 299, unsaid, unsaid)),
			problems: []string{"X-RateLimit-Period: malformed"},
		},
	})
}
