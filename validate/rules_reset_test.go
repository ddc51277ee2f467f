package validate_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/headway-go/headway/validate"
)

// resets returns the families of separate fields. In each of them some servers send delays and others
// points in time.
func resets() []string { return []string{"RateLimit", "X-RateLimit", "X-Rate-Limit"} }

// A resetRow is a value of -Reset and the time from receipt that it means.
type resetRow struct {
	name, value string
	want        time.Duration
}

// runResets reads each value in each family, without bounds.
func runResets(t *testing.T, values []resetRow) {
	t.Helper()
	for _, family := range resets() {
		var rows []row
		for _, v := range values {
			rows = append(rows, row{
				name:   family + " " + v.name,
				header: []string{date, family + "-Remaining: 5", family + "-Reset: " + v.value},
				bounds: validate.Bounds{MaxReset: -1},
				limits: limitList(limit(unknown, 5, unknown, v.want)),
			})
		}
		run(t, rows)
	}
}

// TestRule01NumericReset checks that the size of a number in -Reset decides whether it is a delay or an
// epoch, and in which unit.
//
// The name of the field does not decide. RateLimit-Reset has epochs at GitLab, Bluesky, DigitalOcean and
// Twitch. X-RateLimit-Reset has delays behind Envoy, fastify and Datadog. Monthly quotas have delays
// above a million (1046073 is twelve days), so a million is not the threshold.
func TestRule01NumericReset(t *testing.T) {
	const never = time.Duration(math.MaxInt64)
	runResets(t, []resetRow{
		{"negative", "-3", 0},
		{"now", "0", 0},
		{"delay", "30", 30 * s},
		{"delay of twelve days", "1046073", 1046073 * s},
		{"longest delay", "31622400", 366 * 24 * time.Hour},
		{"shortest delay in milliseconds", "31622401", 31622401 * time.Millisecond},
		{"longest delay in milliseconds", "946684799", 946684799 * time.Millisecond},
		{"first epoch", "946684800", 0},
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

// TestRule02DeltaMilliseconds checks that a delay in milliseconds below a year is read as seconds, which
// is longer, unless the host's profile has the unit. Prisjakt sends 600000 for ten minutes.
func TestRule02DeltaMilliseconds(t *testing.T) {
	runResets(t, []resetRow{
		{"of Prisjakt", "600000", 600_000 * s},
		{"of a second", "1000", 1000 * s},
	})
	prisjakt := func(value string, want time.Duration) row {
		return row{
			name: "by the profile of Prisjakt, " + value, url: "https://api.schibsted.com/prisjakt/partner-search/products",
			header: []string{date, "X-Rate-Limit-Limit: 500", "X-Rate-Limit-Remaining: 5", "X-Rate-Limit-Reset: " + value},
			limits: limitList(limit(500, 5, unknown, want)),
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
			limits:  limitList(named("a", limit(unknown, 0, unknown, 30*s)), limit(unknown, 7, unknown, 40*s)),
			hasWait: true, wait: 9 * s, refused: true,
		},
		{
			name: "of another host", url: "https://notapi.schibsted.com/prisjakt/",
			header: []string{"X-Rate-Limit-Remaining: 5", "X-Rate-Limit-Reset: 600"},
			limits: limitList(limit(unknown, 5, unknown, 600*s)),
		},
		{
			name: "of another service of the host", url: "https://api.schibsted.com/other/",
			header: []string{"X-Rate-Limit-Remaining: 5", "X-Rate-Limit-Reset: 600"},
			limits: limitList(limit(unknown, 5, unknown, 600*s)),
		},
	})
}

// TestRule03StructuredReset checks that the t of RateLimit and the reset of draft 07 are delays in seconds. The drafts
// allow nothing else. An epoch close to now would be a delay of half a century, so that it is read as one.
func TestRule03StructuredReset(t *testing.T) {
	run(t, []row{
		{
			name:   "t is an epoch",
			header: []string{date, `RateLimit: "a";r=5;t=1772625630`},
			limits: limitList(named("a", limit(unknown, 5, unknown, 30*s))),
		},
		{
			name:     "t is an epoch that is not close to now",
			header:   []string{date, `RateLimit: "a";r=5;t=1972625630`},
			limits:   limitList(named("a", limit(unknown, 5, unknown, validate.DefaultMaxReset))),
			problems: []string{"RateLimit: longer than MaxReset, clamped"},
		},
		{
			name:   "reset of draft 07 is an epoch",
			header: []string{date, `RateLimit: limit=9, remaining=5, reset=1772625630`},
			limits: limitList(limit(9, 5, unknown, 30*s)),
		},
		{
			name:   "t that looks like milliseconds",
			header: []string{date, `RateLimit: "a";r=5;t=31622401`},
			bounds: validate.Bounds{MaxReset: -1},
			limits: limitList(named("a", limit(unknown, 5, unknown, 31622401*s))),
		},
		{
			name:     "t is no date",
			header:   []string{date, `RateLimit: "a";r=5;t=@1772625630`},
			problems: []string{"RateLimit: malformed"},
		},
	})
}

// TestRule05TwinDelta checks that -Reset-After is preferred to -Reset: a delay needs no clock and has
// fractions. Discord and APIs like it send both.
func TestRule05TwinDelta(t *testing.T) {
	run(t, []row{
		{
			name:   "both",
			header: []string{date, "X-RateLimit-Remaining: 5", "X-RateLimit-Reset: 1772625630", "X-RateLimit-Reset-After: 29.25"},
			limits: limitList(limit(unknown, 5, unknown, 29250*time.Millisecond)),
		},
		{
			name:   "the delay alone",
			header: []string{"X-RateLimit-Remaining: 5", "X-RateLimit-Reset-After: 64.57"},
			limits: limitList(limit(unknown, 5, unknown, 64570*time.Millisecond)),
		},
		{
			name:    "the delay needs no clock",
			noClock: true,
			header:  []string{"X-RateLimit-Remaining: 5", "X-RateLimit-Reset: 1772625630", "X-RateLimit-Reset-After: 29.25"},
			limits:  limitList(limit(unknown, 5, unknown, 29250*time.Millisecond)),
		},
		{
			name:   "a delay that is an epoch",
			header: []string{date, "X-RateLimit-Remaining: 5", "X-RateLimit-Reset-After: 1772625630"},
			limits: limitList(limit(unknown, 5, unknown, 30*s)),
		},
		{
			name:     "a malformed delay leaves the reset",
			header:   []string{date, "X-RateLimit-Remaining: 5", "X-RateLimit-Reset: 1772625630", "X-RateLimit-Reset-After: soon"},
			limits:   limitList(limit(unknown, 5, unknown, 30*s)),
			problems: []string{"X-RateLimit-Reset-After: malformed"},
		},
	})
}

// TestRule06PastReset checks that a reset in the past is 0, never negative. The resets in Anthropic's
// recorded responses are a second before the Date.
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
			limits: limitList(named("requests", limit(50, 49, unknown, 0))),
		},
	})
}

// TestRule07TextResets checks the resets that are not numbers.
//
// A reset may be an RFC 3339 date, also without seconds, fraction, zone or capitals. It may be an HTTP
// date in the three forms of RFC 9110 §5.6.7, also with the zone UTC or an offset. It may be a Go
// duration. A wrong weekday is ignored.
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
			limits: limitList(limit(unknown, 5, unknown, unknown)), problems: []string{"X-RateLimit-Reset: malformed"},
		})
	}
	run(t, rows)
}
