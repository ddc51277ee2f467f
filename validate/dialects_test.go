package validate_test

import (
	"testing"
	"time"

	"github.com/headway-go/headway/parse"
	"github.com/headway-go/headway/validate"
)

func TestResponse(t *testing.T) {
	run(t, []row{
		{name: "nothing at all"},
		{name: "no field of ours", header: []string{date, "Content-Type: text/plain", "Age: 3"}},
		{
			name:   "draft 10",
			header: []string{`RateLimit-Policy: "default";q=100;w=60`, `RateLimit: "default";r=50;t=30`},
			limits: limits(named("default", limit(100, 50, 60*s, 30*s))),
		},
		{
			name: "draft 10, two policies, numbers for one",
			header: []string{
				`RateLimit-Policy: "permin";q=50;w=60, "perhr";q=1000;w=3600`,
				`RateLimit: "permin";r=50;t=30`,
			},
			limits: limits(
				named("permin", limit(50, 50, 60*s, 30*s)),
				named("perhr", limit(1000, unsaid, time.Hour, unsaid))),
		},
		{
			name: "draft 10, several lines, numbers for both",
			header: []string{
				`RateLimit-Policy: "a";q=5;w=1`, `RateLimit-Policy: "b";q=50;w=60`,
				`RateLimit: "b";r=7;t=9`, `RateLimit: "a";r=3;t=1`,
			},
			limits: limits(named("b", limit(50, 7, 60*s, 9*s)), named("a", limit(5, 3, s, s))),
		},
		{
			name:   "draft 10, tokens as names, no r",
			header: []string{`RateLimit-Policy: quota;q=100;w=1`, `RateLimit: quota;t=1`},
			limits: limits(named("quota", limit(100, unsaid, s, s))),
		},
		{
			name:   "draft 10, no t",
			header: []string{`RateLimit-Policy: "default";q=100`, `RateLimit: "default";r=0`},
			limits: limits(named("default", limit(100, 0, unsaid, unsaid))),
		},
		{
			name:   "draft 10, units",
			header: []string{`RateLimit-Policy: "n";q=9;qu="concurrent-requests", "b";q=1000000000;w=1;qu="content-bytes"`, `RateLimit: "n";r=4`},
			limits: limits(
				named("n", counted(parse.ConcurrentRequests, limit(9, 4, unsaid, unsaid))),
				named("b", counted(parse.ContentBytes, limit(1e9, unsaid, s, unsaid)))),
		},
		{
			name:   "draft 10 without RateLimit-Policy",
			header: []string{`RateLimit: "default";r=50;t=30`},
			limits: limits(named("default", limit(unsaid, 50, unsaid, 30*s))),
		},
		{
			name:   "a policy alone",
			header: []string{`RateLimit-Policy: "project.create.user";q=4;w=86400`},
			limits: limits(named("project.create.user", limit(4, unsaid, 24*time.Hour, unsaid))),
		},
		{
			name:   "draft 07",
			header: []string{`RateLimit-Policy: 100;w=60`, `RateLimit: limit=100, remaining=50, reset=5`},
			limits: limits(limit(100, 50, 60*s, 5*s)),
		},
		{
			name:   "draft 07 without limit takes the only policy",
			header: []string{`RateLimit-Policy: 100;w=60`, `RateLimit: remaining=50, reset=5`},
			limits: limits(limit(100, 50, 60*s, 5*s)),
		},
		{
			name:   "trio of draft 06",
			header: []string{"RateLimit-Policy: 100;w=60", "RateLimit-Limit: 100", "RateLimit-Remaining: 50", "RateLimit-Reset: 30"},
			limits: limits(limit(100, 50, 60*s, 30*s)),
		},
		{
			name:   "trio of draft 03",
			header: []string{"RateLimit-Limit: 100, 100;w=60, 1000;w=3600", "RateLimit-Remaining: 50", "RateLimit-Reset: 30"},
			limits: limits(
				named("100;w=60", limit(100, 50, 60*s, 30*s)),
				named("1000;w=3600", limit(1000, unsaid, time.Hour, unsaid))),
		},
		{
			name:   "trio with an epoch",
			header: []string{date, "RateLimit-Limit: 100", "RateLimit-Remaining: 50", "RateLimit-Reset: 1772625630"},
			limits: limits(limit(100, 50, unsaid, 30*s)),
		},
		{
			name:   "X-RateLimit with an epoch",
			header: []string{date, "X-RateLimit-Limit: 100", "X-RateLimit-Remaining: 50", "X-RateLimit-Reset: 1772625630"},
			limits: limits(limit(100, 50, unsaid, 30*s)),
		},
		{
			name:   "X-RateLimit with milliseconds, a name and what was used",
			header: []string{date, "X-RateLimit-Limit: 100", "X-RateLimit-Used: 40", "X-RateLimit-Reset: 1772625630500", "X-RateLimit-Resource: core"},
			limits: limits(named("core", limit(100, 60, unsaid, 30500*time.Millisecond))),
		},
		{
			name:   "X-Rate-Limit with a delay",
			header: []string{"X-Rate-Limit-Limit: 20.00", "X-Rate-Limit-Remaining: 19", "X-Rate-Limit-Reset: 1"},
			limits: limits(limit(20, 19, unsaid, s)),
		},
		{
			name:   "X-Rate-Limit with a window for the limit",
			header: []string{date, "X-Rate-Limit-Limit: 1m", "X-Rate-Limit-Remaining: 19", "X-Rate-Limit-Reset: 2026-03-04T12:00:30.5000000Z"},
			limits: limits(limit(unsaid, 19, 60*s, 30500*time.Millisecond)),
		},
		{
			name:    "Retry-After alone",
			status:  429,
			header:  []string{"Retry-After: 30"},
			hasWait: true, wait: 30 * s, refused: true,
		},
	})
}

// TestDialectRules has a row for every rule about ambiguous fields that this
// package decides. The numbers are those of the project's list of dialects.
func TestDialectRules(t *testing.T) {
	run(t, []row{
		{
			name:   "rule 01 a negative reset is now",
			header: []string{"X-RateLimit-Remaining: 5", "X-RateLimit-Reset: -3"},
			limits: limits(limit(unsaid, 5, unsaid, 0)),
		},
		{
			name:   "rule 01 the name does not decide between epoch and delay",
			header: []string{date, "RateLimit-Remaining: 5", "RateLimit-Reset: 1772625630", "X-Rate-Limit-Remaining: 4", "X-Rate-Limit-Reset: 30"},
			limits: limits(limit(unsaid, 5, unsaid, 30*s), named("X-Rate-Limit", limit(unsaid, 4, unsaid, 30*s))),
		},
		{
			name:     "rule 03 t is a delay even if it looks like an epoch",
			header:   []string{date, `RateLimit: "a";r=5;t=1772625630`},
			limits:   limits(named("a", limit(unsaid, 5, unsaid, validate.DefaultMaxReset))),
			problems: []string{"RateLimit: longer than MaxReset, clamped"},
		},
		{
			name:     "rule 03 reset of draft 07 is a delay even if it looks like an epoch",
			header:   []string{date, `RateLimit: limit=9, remaining=5, reset=1772625630`},
			limits:   limits(limit(9, 5, unsaid, validate.DefaultMaxReset)),
			problems: []string{"RateLimit: longer than MaxReset, clamped"},
		},
		{
			name:   "rule 04 clock skew",
			header: []string{"Date: Wed, 04 Mar 2026 11:40:00 GMT", "X-RateLimit-Remaining: 5", "X-RateLimit-Reset: 1772624430"},
			limits: limits(limit(unsaid, 5, unsaid, 30*s)), // the server is 20 minutes behind
		},
		{
			name:    "rule 04 clock skew, Retry-After date",
			status:  503,
			header:  []string{"Date: Wed, 04 Mar 2026 13:00:00 GMT", "Retry-After: Wed, 04 Mar 2026 13:00:07 GMT"},
			hasWait: true, wait: 7 * s, refused: true,
		},
		{
			name:   "rule 04 no Date, local clock",
			header: []string{"X-RateLimit-Remaining: 5", "X-RateLimit-Reset: 1772625630"},
			limits: limits(limit(unsaid, 5, unsaid, 30*s)),
		},
		{
			name:   "rule 04 malformed Date, local clock",
			header: []string{"Date: today", "X-RateLimit-Remaining: 5", "X-RateLimit-Reset: 1772625630"},
			limits: limits(limit(unsaid, 5, unsaid, 30*s)),
		},
		{
			name:   "rule 04 Date of 1970, local clock",
			header: []string{"Date: Thu, 01 Jan 1970 00:00:00 GMT", "X-RateLimit-Remaining: 5", "X-RateLimit-Reset: 1772625630"},
			limits: limits(limit(unsaid, 5, unsaid, 30*s)),
		},
		{
			name:   "rule 04 Date of 2099, local clock",
			header: []string{"Date: Thu, 01 Jan 2099 00:00:00 GMT", "X-RateLimit-Remaining: 5", "X-RateLimit-Reset: 1772625630"},
			limits: limits(limit(unsaid, 5, unsaid, 30*s)),
		},
		{
			name:   "rule 04 Date 300 days back is believed",
			header: []string{"Date: Thu, 08 May 2025 12:00:00 GMT", "X-RateLimit-Remaining: 5", "X-RateLimit-Reset: 1772625630"},
			bounds: validate.Bounds{MaxReset: -1},
			limits: limits(limit(unsaid, 5, unsaid, 300*24*time.Hour+30*s)),
		},
		{
			name:   "rule 04 Date 367 days back, local clock",
			header: []string{"Date: Sun, 02 Mar 2025 12:00:00 GMT", "X-RateLimit-Remaining: 5", "X-RateLimit-Reset: 1772625630"},
			bounds: validate.Bounds{MaxReset: -1},
			limits: limits(limit(unsaid, 5, unsaid, 30*s)),
		},
		{
			name:   "rule 04 local clock of 1970, Date",
			at:     time.Unix(0, 0),
			header: []string{date, "X-RateLimit-Remaining: 5", "X-RateLimit-Reset: 1772625630"},
			limits: limits(limit(unsaid, 5, unsaid, 30*s)),
		},
		{
			name:     "rule 04 both clocks make it far, Date",
			header:   []string{date, "X-RateLimit-Remaining: 5", "X-RateLimit-Reset: 1972625630"},
			limits:   limits(limit(unsaid, 5, unsaid, validate.DefaultMaxReset)),
			problems: []string{"X-RateLimit-Reset: longer than MaxReset, clamped"},
		},
		{
			name:     "rule 04 no clock at all",
			noClock:  true,
			header:   []string{"X-RateLimit-Remaining: 5", "X-RateLimit-Reset: 1772625630"},
			limits:   limits(limit(unsaid, 5, unsaid, unsaid)),
			problems: []string{"X-RateLimit-Reset: a point in time without a Date, ignored"},
		},
		{
			name:    "rule 04 deltas never use a clock",
			noClock: true,
			header:  []string{"Date: Thu, 01 Jan 1970 00:00:00 GMT", "X-RateLimit-Remaining: 5", "X-RateLimit-Reset: 30", "Retry-After: 9"},
			limits:  limits(limit(unsaid, 5, unsaid, 30*s)),
			hasWait: true, wait: 9 * s,
		},
		{
			name:   "rule 05 twin delta",
			header: []string{date, "X-RateLimit-Remaining: 5", "X-RateLimit-Reset: 1772625630", "X-RateLimit-Reset-After: 29.25"},
			limits: limits(limit(unsaid, 5, unsaid, 29250*time.Millisecond)),
		},
		{
			name:   "rule 06 reset in the past",
			header: []string{date, "X-RateLimit-Remaining: 5", "X-RateLimit-Reset: 2026-03-04T11:59:59Z"},
			limits: limits(limit(unsaid, 5, unsaid, 0)),
		},
		{
			name:    "rule 06 Retry-After date in the past",
			status:  429,
			header:  []string{date, "Retry-After: Wed, 04 Mar 2026 11:00:00 GMT"},
			hasWait: true, wait: wait0, refused: true,
		},
		{
			name:   "rule 07 text resets",
			header: []string{date, "X-RateLimit-Remaining: 5", "X-RateLimit-Reset: Wed, 04 Mar 2026 12:00:30 UTC"},
			limits: limits(limit(unsaid, 5, unsaid, 30*s)),
		},
		{
			name:    "rule 08 a fraction is never cut to nothing",
			status:  429,
			header:  []string{"Retry-After: 0.25"},
			hasWait: true, wait: s / 4, refused: true,
		},
		{
			name:    "rule 08 an epoch for the seconds",
			status:  429,
			header:  []string{date, "Retry-After: 1772625630"},
			hasWait: true, wait: 30 * s, refused: true,
		},
		{
			name:    "rule 08 seconds are seconds in 1970 too",
			status:  429,
			header:  []string{"Date: Thu, 01 Jan 1970 00:00:10 GMT", "Retry-After: 30"},
			hasWait: true, wait: 30 * s, refused: true,
		},
		{
			name:    "rule 08 seconds that are no epoch close to now",
			status:  429,
			header:  []string{date, "Retry-After: 1972625630"},
			hasWait: true, wait: validate.DefaultMaxReset, refused: true,
			problems: []string{"Retry-After: longer than MaxReset, clamped"},
		},
		{
			name:    "rule 09 Retry-After 0 on success is no block",
			header:  []string{"Retry-After: 0", "X-RateLimit-Remaining: 5"},
			limits:  limits(limit(unsaid, 5, unsaid, unsaid)),
			hasWait: true, wait: wait0,
		},
		{
			name:    "rule 09 Retry-After on every response",
			header:  []string{"Retry-After: 60", "X-RateLimit-Remaining: 5"},
			limits:  limits(limit(unsaid, 5, unsaid, unsaid)),
			hasWait: true, wait: 60 * s,
		},
		{
			name:    "rule 10 Retry-After and reset are both reported",
			status:  429,
			header:  []string{"Retry-After: 5", "RateLimit-Remaining: 3", "RateLimit-Reset: 30"},
			limits:  limits(limit(unsaid, 3, unsaid, 30*s)),
			hasWait: true, wait: 5 * s, refused: true,
		},
		{
			name:     "rule 10 a malformed Retry-After does not hide a reset",
			status:   429,
			header:   []string{"Retry-After: soon", "RateLimit-Remaining: 0", "RateLimit-Reset: 30"},
			limits:   limits(limit(unsaid, 0, unsaid, 30*s)),
			refused:  true,
			problems: []string{"Retry-After: malformed"},
		},
		{
			name: "rule 12 the same numbers are one limit",
			header: []string{
				date, `RateLimit-Policy: "a";q=100;w=60`, `RateLimit: "a";r=50;t=30`,
				"RateLimit-Limit: 100", "RateLimit-Remaining: 50", "RateLimit-Reset: 30",
				"X-RateLimit-Limit: 100", "X-RateLimit-Remaining: 50", "X-RateLimit-Reset: 1772625631",
				"X-Rate-Limit-Limit: 100", "X-Rate-Limit-Remaining: 50", "X-Rate-Limit-Reset: 2026-03-04T12:00:29Z",
			},
			limits: limits(named("a", limit(100, 50, 60*s, 30*s))),
		},
		{
			name: "rule 12 different numbers are different limits",
			header: []string{
				`RateLimit-Policy: "a";q=100;w=60`, `RateLimit: "a";r=50;t=30`,
				"RateLimit-Limit: 200", "RateLimit-Remaining: 50", "RateLimit-Reset: 30",
				"X-RateLimit-Limit: 100", "X-RateLimit-Remaining: 51", "X-RateLimit-Reset: 30",
				"X-Rate-Limit-Limit: 100", "X-Rate-Limit-Remaining: 50", "X-Rate-Limit-Reset: 33",
			},
			limits: limits(
				named("a", limit(100, 50, 60*s, 30*s)),
				limit(200, 50, unsaid, 30*s),
				named("X-RateLimit", limit(100, 51, unsaid, 30*s)),
				named("X-Rate-Limit", limit(100, 50, unsaid, 33*s))),
		},
		{
			name: "rule 12 a malformed family falls through to the next",
			header: []string{
				`RateLimit: "a";r=50;t=30,`, `RateLimit-Policy: "fixed window";"a";q=500;w=300`,
				"RateLimit-Limit: 200", "RateLimit-Remaining: x", "RateLimit-Reset: 30",
			},
			limits:   limits(limit(200, unsaid, unsaid, 30*s)),
			problems: []string{"RateLimit: malformed", "RateLimit-Policy: malformed", "RateLimit-Remaining: malformed"},
		},
		{
			name: "rule 12 what one family does not know the next may",
			header: []string{
				`RateLimit: "a";r=50;t=30`,
				"X-RateLimit-Limit: 100", "X-RateLimit-Remaining: 50", "X-RateLimit-Resource: core",
			},
			limits: limits(named("a", limit(100, 50, unsaid, 30*s))),
		},
		{
			name:   "rule 14 more remaining than the quota",
			header: []string{"RateLimit-Limit: 10", "RateLimit-Remaining: 25", "RateLimit-Reset: 1"},
			limits: limits(limit(10, 25, unsaid, s)),
		},
		{
			name:    "rule 15 negative remaining on a refusal",
			status:  429,
			header:  []string{"X-RateLimit-Limit: 10", "X-RateLimit-Remaining: -1", "X-RateLimit-Reset: 30"},
			limits:  limits(limit(10, 0, unsaid, 30*s)),
			refused: true,
		},
		{
			name:     "rule 15 negative remaining on a success",
			header:   []string{"X-RateLimit-Limit: 10", "X-RateLimit-Remaining: -1", "X-RateLimit-Reset: 30"},
			limits:   limits(limit(10, unsaid, unsaid, 30*s)),
			problems: []string{"X-RateLimit-Remaining: stands for no limit, ignored"},
		},
		{
			name:     "rule 15 negative remaining on a 404",
			status:   404,
			header:   []string{"X-RateLimit-Remaining: -1"},
			problems: []string{"X-RateLimit-Remaining: stands for no limit, ignored"},
		},
		{
			name:     "rule 15 negative remaining is no proof on a 403",
			status:   403,
			header:   []string{"X-RateLimit-Limit: 10", "X-RateLimit-Remaining: -1"},
			limits:   limits(limit(10, unsaid, unsaid, unsaid)),
			problems: []string{"X-RateLimit-Remaining: stands for no limit, ignored"},
		},
		{
			name:     "rule 15 negative limit",
			header:   []string{"X-RateLimit-Limit: -1", "X-RateLimit-Remaining: -1", "X-RateLimit-Reset: 0"},
			limits:   limits(limit(unsaid, unsaid, unsaid, 0)),
			problems: []string{"X-RateLimit-Limit: malformed", "X-RateLimit-Remaining: stands for no limit, ignored"},
		},
		{
			name:     "rule 16 all zero on a success",
			header:   []string{"X-RateLimit-Limit: 0", "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 0"},
			problems: []string{"X-RateLimit-Limit: stands for no limit, ignored"},
		},
		{
			name:     "rule 16 all zero is no proof on a 403",
			status:   403,
			header:   []string{"X-RateLimit-Limit: 0", "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 0"},
			problems: []string{"X-RateLimit-Limit: stands for no limit, ignored"},
		},
		{
			name:    "rule 16 all zero on a refusal has no reset",
			status:  429,
			header:  []string{"X-RateLimit-Limit: 0", "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 0"},
			limits:  limits(limit(0, 0, unsaid, unsaid)),
			refused: true,
		},
		{
			name:   "rule 16 quota 0 for a while",
			header: []string{`RateLimit-Policy: "a";q=0;w=60`, `RateLimit: "a";r=0;t=30`},
			limits: limits(named("a", limit(0, 0, 60*s, 30*s))),
		},
		{
			name:     "rule 16 quota 0 with units remaining",
			header:   []string{"X-RateLimit-Limit: 0", "X-RateLimit-Remaining: 7"},
			limits:   limits(limit(unsaid, 7, unsaid, unsaid)),
			problems: []string{"X-RateLimit-Limit: stands for no limit, ignored"},
		},
		{
			name:     "rule 17 words",
			header:   []string{"X-RateLimit-Limit: unlimited", "X-RateLimit-Remaining: NaN", "X-RateLimit-Reset: null"},
			problems: []string{"X-RateLimit-Limit: malformed", "X-RateLimit-Remaining: malformed", "X-RateLimit-Reset: malformed"},
		},
		{
			name:   "rule 18 floats",
			header: []string{"X-RateLimit-Limit: 20.00", "X-RateLimit-Remaining: 5.9", "X-RateLimit-Reset: 7.66"},
			limits: limits(limit(20, 5, unsaid, 7660*time.Millisecond)),
		},
		{
			name:    "rule 22 huge numbers saturate",
			status:  429,
			header:  []string{"Retry-After: 9223372036854775807", "X-RateLimit-Limit: 9223372036854775807", "X-RateLimit-Remaining: 99999999999999999999999"},
			limits:  limits(limit(validate.DefaultMaxQuota, validate.DefaultMaxQuota, unsaid, unsaid)),
			hasWait: true,
			wait:    validate.DefaultMaxReset,
			refused: true,
			problems: []string{
				"Retry-After: longer than MaxReset, clamped",
				"X-RateLimit-Limit: more than MaxQuota, clamped",
				"X-RateLimit-Remaining: more than MaxQuota, clamped",
			},
		},
		{
			name:   "rule 23 used of limit",
			header: []string{"X-RateLimit-Limit: 32/40"},
			limits: limits(limit(40, 8, unsaid, unsaid)),
		},
		{
			name:   "rule 24 used without remaining",
			header: []string{"X-RateLimit-Limit: 100", "X-RateLimit-Used: 130"},
			limits: limits(limit(100, 0, unsaid, unsaid)),
		},
		{
			name:   "rule 24 nothing used",
			header: []string{"X-RateLimit-Limit: 100", "X-RateLimit-Used: 0"},
			limits: limits(limit(100, 100, unsaid, unsaid)),
		},
		{
			name:    "rule 24 used of nothing",
			status:  429,
			header:  []string{"X-RateLimit-Limit: 0", "X-RateLimit-Used: 3"},
			limits:  limits(limit(0, 0, unsaid, unsaid)),
			refused: true,
		},
		{
			name:   "rule 24 used and remaining without limit",
			header: []string{"X-RateLimit-Used: 3", "X-RateLimit-Remaining: 57.0", "X-RateLimit-Reset: 100"},
			limits: limits(limit(unsaid, 57, unsaid, 100*s)),
		},
		{
			name:   "rule 26 w is not a wait",
			header: []string{"RateLimit-Limit: 100;w=21600", "RateLimit-Remaining: 76;w=21600"},
			limits: limits(limit(100, 76, 6*time.Hour, unsaid)),
		},
		{
			name:   "rule 27 names from fields, and with a policy beside",
			header: []string{"RateLimit-Limit: 60", "RateLimit-Remaining: 7", "RateLimit-Name: throttle_unauthenticated", "RateLimit-Policy: 60;w=60"},
			limits: limits(named("throttle_unauthenticated", limit(60, 7, 60*s, unsaid))),
		},
		{
			name:   "rule 27 SF names differ in case",
			header: []string{`RateLimit: "a";r=1, "A";r=2`, `RateLimit-Policy: "A";q=5;w=1, "a";q=6;w=1`},
			limits: limits(named("a", limit(6, 1, s, unsaid)), named("A", limit(5, 2, s, unsaid))),
		},
		{
			name: "rule 27 one name with two partition keys is two limits",
			header: []string{
				`RateLimit: "a";r=1;pk=:QQ==:, "a";r=2;pk=:Qg==:`,
				`RateLimit-Policy: "a";q=6;w=2;pk=:Qg==:, "a";q=5;w=1;pk=:QQ==:`,
			},
			limits: limits(
				keyed("QQ==", named("a", limit(5, 1, s, unsaid))),
				keyed("Qg==", named("a", limit(6, 2, 2*s, unsaid)))),
		},
		{
			name:   "rule 28 the policy whose quota is the limit",
			header: []string{"RateLimit-Policy: 1000;w=3600, 100;w=60", "RateLimit-Limit: 100", "RateLimit-Remaining: 5", "RateLimit-Reset: 6"},
			limits: limits(
				named("100;w=60", limit(100, 5, 60*s, 6*s)),
				named("1000;w=3600", limit(1000, unsaid, time.Hour, unsaid))),
		},
		{
			name:     "rule 28 two policies with the quota",
			header:   []string{"RateLimit-Policy: 100;w=3600, 100;w=60", "RateLimit-Limit: 100", "RateLimit-Remaining: 5", "RateLimit-Reset: 6"},
			limits:   limits(limit(100, 5, unsaid, 6*s)),
			problems: []string{"RateLimit-Policy: several policies match, ignored"},
		},
		{
			name:     "rule 28 two policies with the quota, draft 07",
			header:   []string{"RateLimit-Policy: 100;w=3600, 100;w=60", "RateLimit: limit=100, remaining=5, reset=6"},
			limits:   limits(limit(100, 5, unsaid, 6*s)),
			problems: []string{"RateLimit-Policy: several policies match, ignored"},
		},
		{
			name:   "rule 28 no policy with the quota",
			header: []string{"RateLimit-Policy: 50;w=60", "RateLimit-Limit: 100", "RateLimit-Remaining: 5", "RateLimit-Reset: 6"},
			limits: limits(limit(100, 5, unsaid, 6*s), named("RateLimit-Policy", limit(50, unsaid, 60*s, unsaid))),
		},
		{
			name:   "rule 28 Envoy",
			header: []string{`X-RateLimit-Limit: 10, 10;w=1;name="per-ip", 1000;w=3600`, "X-RateLimit-Remaining: 9", "X-RateLimit-Reset: 1"},
			limits: limits(
				named("per-ip", limit(10, 9, s, s)),
				named("1000;w=3600", limit(1000, unsaid, time.Hour, unsaid))),
		},
		{
			name:   "rule 28 Envoy's duplicates have one window",
			header: []string{`X-RateLimit-Limit: 10, 10;w=1, 10;w=1`, "X-RateLimit-Remaining: 9", "X-RateLimit-Reset: 1"},
			limits: limits(named("10;w=1", limit(10, 9, s, s))),
		},
		{
			name:   "rule 28 Envoy's duplicates with two names go by quota and window",
			header: []string{`X-RateLimit-Limit: 10, 10;w=1;name="ip", 10;w=1;name="user"`, "X-RateLimit-Remaining: 9", "X-RateLimit-Reset: 1"},
			limits: limits(named("10;w=1", limit(10, 9, s, s))),
		},
		{
			name:   "rule 29 fields that only look alike",
			status: 429,
			header: []string{
				"X-RateLimit-NearLimit: 1", "RateLimit-Reason: 1", "X-Rate-Limit-Request-Remote-Addr: 1",
				"Access-Control-Expose-Headers: X-RateLimit-Limit",
			},
			refused: true,
		},
		{
			name:   "rule 30 fields are read whatever the status",
			status: 404,
			header: []string{`RateLimit: "a";r=0;t=3`},
			limits: limits(named("a", limit(unsaid, 0, unsaid, 3*s))),
		},
		{
			name:     "rule 31 responses from a cache",
			header:   []string{`RateLimit: "a";r=5;t=3`, "Age: 1"},
			problems: []string{"Age: limits of a cached response are ignored"},
		},
		{
			name:   "rule 31 Age 0 is not from a cache",
			header: []string{`RateLimit: "a";r=5;t=3`, "Age: 0"},
			limits: limits(named("a", limit(unsaid, 5, unsaid, 3*s))),
		},
		{
			name:    "rule 33 hostile values",
			status:  429,
			header:  []string{`RateLimit-Policy: "a";q=999999999999999;w=1`, `RateLimit: "a";r=999999999999999;t=999999999999999`, "Retry-After: 999999999999999"},
			limits:  limits(named("a", limit(validate.DefaultMaxRate, 276_480_000_000, s, validate.DefaultMaxReset))),
			hasWait: true,
			wait:    validate.DefaultMaxReset,
			refused: true,
			problems: []string{
				"Retry-After: longer than MaxReset, clamped",
				"RateLimit-Policy: more than MaxQuota, clamped",
				"RateLimit: more than MaxQuota, clamped",
				"RateLimit: longer than MaxReset, clamped",
				"RateLimit-Policy: faster than MaxRate, clamped",
				"RateLimit: faster than MaxRate, clamped",
			},
		},
	})
}
