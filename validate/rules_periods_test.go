package validate_test

import (
	"testing"
	"time"

	"github.com/headway-go/headway/validate"
)

// TestRule25Period checks the fields for the length of a window.
//
// -Period, -Interval, -Window-Size and -Interval-Seconds are in seconds or durations: Datadog sends 3600, Crossref 1s,
// Composio 600s. Thousands of seconds that are no days may be milliseconds, as of servers in JavaScript. More than a year
// may be a point in time. The X-RateLimit-Period of bitFlyer is the time to the reset: it equals the reset, and there is
// no quota beside it.
func TestRule25Period(t *testing.T) {
	counts := func(fields ...string) []string {
		return append([]string{date, "X-RateLimit-Limit: 300", "X-RateLimit-Remaining: 299"}, fields...)
	}
	run(t, []row{
		{name: "Period in seconds", header: counts("X-RateLimit-Period: 60"), limits: limitList(limit(300, 299, 60*s, unknown))},
		{
			name:   "Period and a reset, as Datadog",
			header: counts("X-RateLimit-Period: 3600", "X-RateLimit-Reset: 1200"),
			limits: limitList(limit(300, 299, time.Hour, 1200*s)),
		},
		{
			name:   "at the beginning of a window",
			header: counts("X-RateLimit-Period: 60", "X-RateLimit-Reset: 60"),
			limits: limitList(limit(300, 299, 60*s, 60*s)),
		},
		{
			name:   "Interval as a duration, as Crossref",
			header: []string{"X-Rate-Limit-Limit: 50", "X-Rate-Limit-Interval: 1s"},
			limits: limitList(limit(50, unknown, s, unknown)),
		},
		{name: "Window-Size, as Composio", header: counts("X-RateLimit-Window-Size: 600s"), limits: limitList(limit(300, 299, 600*s, unknown))},
		{name: "Interval-Seconds", header: counts("X-RateLimit-Interval-Seconds: 1"), limits: limitList(limit(300, 299, s, unknown))},
		{
			name:   "the time left, as bitFlyer",
			header: []string{date, "X-RateLimit-Period: 284", "X-RateLimit-Remaining: 499", "X-RateLimit-Reset: 1772625884"},
			limits: limitList(limit(unknown, 499, unknown, 284*s)),
		},
		{
			name:     "perhaps milliseconds, with a reset",
			header:   counts("X-RateLimit-Window: 60000", "X-RateLimit-Reset: 60"),
			limits:   limitList(limit(300, 299, unknown, 60*s)),
			problems: []string{"X-RateLimit-Limit: " + string(validate.Doubted)},
		},
		{
			name:   "30 days",
			header: counts("X-RateLimit-Window: 2592000", "X-RateLimit-Reset: 60"),
			limits: limitList(limit(300, 299, 30*24*time.Hour, 60*s)),
		},
		{
			name:   "a day is no multiple of 1000",
			header: counts("X-RateLimit-Window: 86400", "X-RateLimit-Reset: 60"),
			limits: limitList(limit(300, 299, 86400*s, 60*s)),
		},
		{
			name:     "perhaps milliseconds, without a reset",
			header:   counts("X-RateLimit-Window: 60000"),
			limits:   limitList(limit(300, 299, unknown, unknown)),
			problems: []string{"X-RateLimit-Limit: " + string(validate.Doubted)},
		},
		{
			name:   "less than an hour, without a reset",
			header: counts("X-RateLimit-Window: 3000"),
			limits: limitList(limit(300, 299, 3000*s, unknown)),
		},
		{
			name:     "the beginning of the window",
			header:   counts("X-RateLimit-Window: 1772625600", "X-RateLimit-Reset: 60"),
			limits:   limitList(limit(300, 299, unknown, 60*s)),
			problems: []string{"X-RateLimit-Window: malformed"},
		},
		{
			name:   "a unit, which leaves no doubt",
			header: counts("X-RateLimit-Window: 5h", "X-RateLimit-Reset: 60"),
			limits: limitList(limit(300, 299, 5*60*60*s, 60*s)),
		},
		{
			name:     "the beginning of the window in milliseconds",
			header:   counts("X-RateLimit-Window: 1772625600000", "X-RateLimit-Reset: 60"),
			limits:   limitList(limit(300, 299, unknown, 60*s)),
			problems: []string{"X-RateLimit-Window: malformed"},
		},
		{
			name:     "no window at all",
			header:   counts("X-RateLimit-Period: 0"),
			limits:   limitList(limit(300, 299, unknown, unknown)),
			problems: []string{"X-RateLimit-Period: malformed"},
		},
		{
			name:     "a word",
			header:   counts("X-RateLimit-Period: often"),
			limits:   limitList(limit(300, 299, unknown, unknown)),
			problems: []string{"X-RateLimit-Period: malformed"},
		},
	})
}
