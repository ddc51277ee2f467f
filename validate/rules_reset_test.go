package validate_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/headway-go/headway/validate"
)

// resets are the families of separate fields, all of which carry delays at some
// servers and points in time at others.
func resets() []string { return []string{"RateLimit", "X-RateLimit", "X-Rate-Limit"} }

// A resetRow is a value of -Reset and the time from receipt that it means.
type resetRow struct {
	name, value string
	want        time.Duration
}

// runResets reads each value in each family, with no bound on how far it is away.
func runResets(t *testing.T, values []resetRow) {
	t.Helper()
	for _, family := range resets() {
		var rows []row
		for _, v := range values {
			rows = append(rows, row{
				name:   family + " " + v.name,
				header: []string{date, family + "-Remaining: 5", family + "-Reset: " + v.value},
				bounds: validate.Bounds{MaxReset: -1},
				limits: several(limit(unsaid, 5, unsaid, v.want)),
			})
		}
		run(t, rows)
	}
}

// TestRule01NumericReset: the size of a number in -Reset tells whether it is a
// delay or an epoch, and in which unit; the name of the field does not. The bare
// RateLimit-Reset carries epochs at GitLab, Bluesky, DigitalOcean and Twitch, and
// X-RateLimit-Reset delays behind Envoy, fastify and Datadog. Monthly quotas have
// delays beyond a million (1046073 is twelve days), so that is no threshold.
func TestRule01NumericReset(t *testing.T) {
	const never = time.Duration(math.MaxInt64)
	runResets(t, []resetRow{
		{"negative", "-3", 0},
		{"now", "0", 0},
		{"delay", "30", 30 * s},
		{"delay of twelve days", "1046073", 1046073 * s},
		{"longest delay", "31622400", 366 * 24 * time.Hour},
		{"shortest delay in milliseconds", "31622401", 31622401 * time.Millisecond},
		{"longest delay in milliseconds", "999999999", 999999999 * time.Millisecond},
		{"first epoch", "1000000000", 0},
		{"epoch", "1772625630", 30 * s},
		{"epoch with a fraction, as Discord's", "1772625630.123", 30123 * time.Millisecond},
		{"last epoch", "99999999999", never},
		{"first in milliseconds", "100000000000", 0},
		{"in milliseconds", "1772625630500", 30500 * time.Millisecond},
		{"last in milliseconds", "99999999999999", never},
		{"first in microseconds", "100000000000000", 0},
		{"in microseconds", "1772625630500250", 30500250 * time.Microsecond},
		{"last in microseconds", "99999999999999999", never},
		{"first in nanoseconds", "100000000000000000", 0},
		{"in nanoseconds", "1772625630500250125", 30500250125},
	})
}

// TestRule02DeltaMilliseconds: a delay in milliseconds below a year cannot be told
// from seconds, so it is read as seconds, which waits longer, unless the host's
// profile says that it is one. Prisjakt sends 600000 for ten minutes.
func TestRule02DeltaMilliseconds(t *testing.T) {
	runResets(t, []resetRow{
		{"of Prisjakt", "600000", 600_000 * s},
		{"of a second", "1000", 1000 * s},
	})
	prisjakt := func(value string, want time.Duration) row {
		return row{
			name: "by the profile of Prisjakt, " + value, url: "https://api.schibsted.com/prisjakt/partner-search/products",
			header: []string{date, "X-Rate-Limit-Limit: 500", "X-Rate-Limit-Remaining: 5", "X-Rate-Limit-Reset: " + value},
			limits: several(limit(500, 5, unsaid, want)),
		}
	}
	run(t, []row{
		prisjakt("600000", 600*s),
		prisjakt("500", s/2),
		prisjakt("0", 0),
		prisjakt("31622400", 31622400*time.Millisecond),
		prisjakt("1772625630", 30*s),
		prisjakt("2026-03-04T12:00:30Z", 30*s),
		{
			name: "what needs no profile", url: "https://api.schibsted.com/prisjakt/", status: 429,
			header:  []string{"Retry-After: 9", `RateLimit: "a";r=0;t=30`, "X-RateLimit-Remaining: 7", "X-RateLimit-Reset-After: 40"},
			limits:  several(named("a", limit(unsaid, 0, unsaid, 30*s)), limit(unsaid, 7, unsaid, 40*s)),
			hasWait: true, wait: 9 * s, refused: true,
		},
		{
			name: "of another host", url: "https://notapi.schibsted.com/prisjakt/",
			header: []string{"X-Rate-Limit-Remaining: 5", "X-Rate-Limit-Reset: 600"},
			limits: several(limit(unsaid, 5, unsaid, 600*s)),
		},
		{
			name: "of another service of the host", url: "https://api.schibsted.com/other/",
			header: []string{"X-Rate-Limit-Remaining: 5", "X-Rate-Limit-Reset: 600"},
			limits: several(limit(unsaid, 5, unsaid, 600*s)),
		},
	})
}

// TestRule03StructuredReset: t of RateLimit and draft 07's reset are delays
// whatever their size; the drafts allow nothing else. They are only bounded.
func TestRule03StructuredReset(t *testing.T) {
	clamped := []string{"RateLimit: longer than MaxReset, clamped"}
	run(t, []row{
		{
			name:     "t that looks like an epoch",
			header:   []string{date, `RateLimit: "a";r=5;t=1772625630`},
			limits:   several(named("a", limit(unsaid, 5, unsaid, validate.DefaultMaxReset))),
			problems: clamped,
		},
		{
			name:     "reset of draft 07 that looks like an epoch",
			header:   []string{date, `RateLimit: limit=9, remaining=5, reset=1772625630`},
			limits:   several(limit(9, 5, unsaid, validate.DefaultMaxReset)),
			problems: clamped,
		},
		{
			name:   "t that looks like milliseconds",
			header: []string{date, `RateLimit: "a";r=5;t=31622401`},
			bounds: validate.Bounds{MaxReset: -1},
			limits: several(named("a", limit(unsaid, 5, unsaid, 31622401*s))),
		},
		{
			name:     "t is no date",
			header:   []string{date, `RateLimit: "a";r=5;t=@1772625630`},
			problems: []string{"RateLimit: malformed"},
		},
	})
}

// TestRule05TwinDelta: beside a -Reset-After the -Reset is not needed: the delay
// has no clock in it, and fractions. Discord and its imitators send both.
func TestRule05TwinDelta(t *testing.T) {
	run(t, []row{
		{
			name:   "both",
			header: []string{date, "X-RateLimit-Remaining: 5", "X-RateLimit-Reset: 1772625630", "X-RateLimit-Reset-After: 29.25"},
			limits: several(limit(unsaid, 5, unsaid, 29250*time.Millisecond)),
		},
		{
			name:   "the delay alone",
			header: []string{"X-RateLimit-Remaining: 5", "X-RateLimit-Reset-After: 64.57"},
			limits: several(limit(unsaid, 5, unsaid, 64570*time.Millisecond)),
		},
		{
			name:    "the delay needs no clock",
			noClock: true,
			header:  []string{"X-RateLimit-Remaining: 5", "X-RateLimit-Reset: 1772625630", "X-RateLimit-Reset-After: 29.25"},
			limits:  several(limit(unsaid, 5, unsaid, 29250*time.Millisecond)),
		},
		{
			name:   "a delay that looks like an epoch",
			header: []string{date, "X-RateLimit-Remaining: 5", "X-RateLimit-Reset-After: 1772625630"},
			bounds: validate.Bounds{MaxReset: -1},
			limits: several(limit(unsaid, 5, unsaid, 1772625630*s)),
		},
		{
			name:     "a malformed delay leaves the reset",
			header:   []string{date, "X-RateLimit-Remaining: 5", "X-RateLimit-Reset: 1772625630", "X-RateLimit-Reset-After: soon"},
			limits:   several(limit(unsaid, 5, unsaid, 30*s)),
			problems: []string{"X-RateLimit-Reset-After: malformed"},
		},
	})
}

// TestRule06PastReset: what lies in the past is now, never a negative wait.
// Anthropic's recorded resets are a second before the response's Date.
func TestRule06PastReset(t *testing.T) {
	runResets(t, []resetRow{
		{"a second ago", "2026-03-04T11:59:59Z", 0},
		{"an hour ago", "1772622000", 0},
		{"in 1994", "Tue, 15 Nov 1994 08:12:31 GMT", 0},
		{"a negative duration", "-1.5h", 0},
	})
	ago := func(value string) row {
		return row{name: "Retry-After: " + value, status: 429, header: []string{date, "Retry-After: " + value}, hasWait: true, wait: wait0, refused: true}
	}
	run(t, []row{
		ago("Wed, 04 Mar 2026 11:00:00 GMT"), ago("2026-03-04T11:59:59Z"), ago("1772625599"),
		{
			name: "Anthropic",
			header: []string{
				date, "anthropic-ratelimit-requests-limit: 50", "anthropic-ratelimit-requests-remaining: 49",
				"anthropic-ratelimit-requests-reset: 2026-03-04T11:59:59Z",
			},
			limits: several(named("requests", limit(50, 49, unsaid, 0))),
		},
	})
}

// TestRule07TextResets: a reset in words is RFC 3339, also without seconds, a
// fraction, a zone or capitals; a date of HTTP in any of its three forms, which RFC
// 9110 §5.6.7 requires, also with the zone written as UTC or as an offset; or a
// duration as Go writes it. A wrong weekday does no harm.
func TestRule07TextResets(t *testing.T) {
	runResets(t, []resetRow{
		{"RFC 3339, as Jira", "2026-03-04T12:00:30Z", 30 * s},
		{"without seconds, as Jira too", "2026-03-04T12:01Z", 60 * s},
		{"with microseconds, as Mastodon", "2026-03-04T12:00:30.019685Z", 30*s + 19685*time.Microsecond},
		{"with seven digits, as AspNetCoreRateLimit", "2026-03-04T12:00:30.1234567Z", 30*s + 123456700},
		{"in lower case", "2026-03-04t12:00:30z", 30 * s},
		{"with an offset", "2026-03-04T13:00:30+01:00", 30 * s},
		{"without a zone", "2026-03-04T12:00:30", 30 * s},
		{"with a space, as Ruby and MailerLite", "2026-03-04 12:00:30", 30 * s},
		{"IMF-fixdate, as GitLab", "Wed, 04 Mar 2026 12:00:30 GMT", 30 * s},
		{"RFC 850", "Wednesday, 04-Mar-26 12:00:30 GMT", 30 * s},
		{"asctime", "Wed Mar  4 12:00:30 2026", 30 * s},
		{"RFC 1123 with UTC, as go-limiter", "Wed, 04 Mar 2026 12:00:30 UTC", 30 * s},
		{"RFC 1123 with an offset", "Wed, 04 Mar 2026 13:00:30 +0100", 30 * s},
		{"a wrong weekday", "Mon, 04 Mar 2026 12:00:30 GMT", 30 * s},
		{"a Date of JavaScript, as lemlist", "Wed Mar 04 2026 13:00:30 GMT+0100 (Central European Standard Time)", 30 * s},
		{"a duration, as OpenAI", "6m0s", 6 * time.Minute},
		{"a short duration, as OpenAI too", "12ms", 12 * time.Millisecond},
		{"a duration with a fraction, as Groq", "2m59.56s", 2*time.Minute + 59560*time.Millisecond},
	})
	var rows []row
	for _, value := range []string{"soon", "12:00:30", "2026-03-04", "2026-13-04T12:00:30Z", "Wed, 30 Feb 2026 12:00:30 GMT", "30 s", "1e3", strings.Repeat("9", 101)} {
		rows = append(rows, row{
			name: "no time: " + value[:min(len(value), 32)], header: []string{date, "X-RateLimit-Remaining: 5", "X-RateLimit-Reset: " + value},
			limits: several(limit(unsaid, 5, unsaid, unsaid)), problems: []string{"X-RateLimit-Reset: malformed"},
		})
	}
	run(t, rows)
}
