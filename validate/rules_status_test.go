package validate_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/validate"
)

// TestRule13WhenToStop checks that all limits of a response are reported, as the client must stop for the
// used-up limit with the latest reset.
//
// A refusal is a refusal even if units remain: a remaining quota above 0 is no promise. The hold that
// follows is tested in the root package.
func TestRule13WhenToStop(t *testing.T) {
	header := []string{`RateLimit: "second";r=0;t=1, "hour";r=0;t=1800, "day";r=9;t=80000`}
	all := limitList(
		named("second", limit(unknown, 0, unknown, s)),
		named("hour", limit(unknown, 0, unknown, 1800*s)),
		named("day", limit(unknown, 9, unknown, 80000*s)))
	run(t, []row{
		{name: "two of three are used up", header: header, limits: all},
		{name: "refused", status: 429, header: header, limits: all, refused: true},
		{
			name: "refused with units left", status: 429,
			header: []string{"X-RateLimit-Limit: 10", "X-RateLimit-Remaining: 3", "X-RateLimit-Reset: 30"},
			limits: limitList(limit(10, 3, unknown, 30*s)), refused: true,
		},
	})
}

// TestRule30Statuses checks which statuses are refusals.
//
// Fields are read whatever the status, as servers refuse with many: 403 (GitHub, Salesforce, WAFs), 503
// (nginx, APISIX, the drafts), 400 (Linear), 418 (Binance). Others are 420, 430, 500 (Apigee), 529
// (Notion, Anthropic) and even 200 (GraphQL). By itself only 429 is a refusal. 503 needs a Retry-After.
// 403 needs a wait or a limit that is used up. Any other status needs a profile.
func TestRule30Statuses(t *testing.T) {
	for _, status := range []int{200, 304, 400, 401, 403, 404, 418, 420, 429, 430, 500, 503, 529} {
		run(t, []row{{
			name: fmt.Sprint(status), status: status,
			header:  []string{"X-RateLimit-Limit: 10", "X-RateLimit-Remaining: 3", "X-RateLimit-Reset: 30"},
			limits:  limitList(limit(10, 3, unknown, 30*s)),
			refused: status == http.StatusTooManyRequests,
		}})
	}
	const github, linear = "https://api.github.com/user", "https://api.linear.app/graphql"
	exhausted := []string{"X-RateLimit-Limit: 10", "X-RateLimit-Remaining: 0"}
	used := limitList(limit(10, 0, unknown, unknown))
	left := []string{"X-RateLimit-Limit: 10", "X-RateLimit-Remaining: 3"}
	some := limitList(limit(10, 3, unknown, unknown))
	run(t, []row{
		{name: "Binance's ban", url: "https://api.binance.com/api/v3/depth", status: 418, hasWait: true, wait: 120 * s, refused: true},
		{name: "Notion overloaded", url: "https://api.notion.com/v1/search", status: 529, refused: true},
		{name: "Anthropic overloaded", url: "https://api.anthropic.com/v1/messages", status: 529, refused: true},
		{name: "another status of that host", url: "https://api.anthropic.com/v1/messages", status: 500},
		{name: "GitHub's secondary limit, without a time", url: github, status: 429, header: left, limits: some, hasWait: true, wait: 60 * s, refused: true},
		{
			name: "GitHub's secondary limit, with one", url: github, status: 403, header: append([]string{"Retry-After: 7"}, left...),
			limits: some, hasWait: true, wait: 7 * s, refused: true,
		},
		{name: "GitHub's primary limit", url: github, status: 403, header: exhausted, limits: used, refused: true},
		{name: "no permission at GitHub, or a limit that its body names", url: github, status: 403, header: left, limits: some},
		{name: "Linear, nothing remains", url: linear, status: 400, header: exhausted, limits: used, refused: true},
		{name: "Linear, a bad request, or a limit that its body names", url: linear, status: 400, header: left, limits: some},
		{name: "nothing remains of another's bad request", status: 400, header: exhausted, limits: used},
		{name: "429 alone", status: 429, refused: true},
		{name: "503 alone", status: 503},
		{name: "503, nothing remains", status: 503, header: exhausted, limits: used},
		{name: "503 with Retry-After", status: 503, header: []string{"Retry-After: 2"}, hasWait: true, wait: 2 * s, refused: true},
		{name: "503 with Retry-After 0", status: 503, header: []string{"Retry-After: 0"}, hasWait: true, refused: true},
		{name: "503 with a malformed Retry-After", status: 503, header: []string{"Retry-After: x"}, problems: []string{"Retry-After: malformed"}},
		{name: "403 alone", status: 403},
		{name: "403, nothing remains", status: 403, header: exhausted, limits: used, refused: true},
		{name: "403 with Retry-After", status: 403, header: []string{"Retry-After: 2"}, hasWait: true, wait: 2 * s, refused: true},
		{name: "403 with Retry-After 0", status: 403, header: []string{"Retry-After: 0"}, hasWait: true},
		{
			name: "403 from a cache, nothing remains", status: 403, header: append([]string{"Age: 9"}, exhausted...),
			problems: []string{"Age: limits of a cached response are ignored"},
		},
		{name: "200, nothing remains", header: exhausted, limits: used},
		{name: "200 with Retry-After", header: []string{"Retry-After: 2"}, hasWait: true, wait: 2 * s},
		{name: "500 with Retry-After", status: 500, header: []string{"Retry-After: 2"}, hasWait: true, wait: 2 * s},
		{name: "no status that exists", status: -1, header: exhausted, limits: used},
	})
}

// TestRule30StatusesProvenByTheBody checks the refusals that only the body shows. GitHub's 403 and
// Linear's 400 are mostly about something else. After such a 403 of GitHub the wait is a minute.
func TestRule30StatusesProvenByTheBody(t *testing.T) {
	for _, c := range []struct {
		name, url string
		status    int
		body      string
		refused   bool
		wait      time.Duration
	}{
		{"GitHub's secondary limit", "https://api.github.com/user", 403, `{"message":"You have exceeded a secondary rate limit."}`, true, 60 * s},
		{"GitHub's secondary limit by its page", "https://api.github.com/user", 403, `{"documentation_url":"https://docs.github.com/rest/overview#about-secondary-rate-limits"}`, true, 60 * s},
		{"GitHub's secondary limit by its old name", "https://api.github.com/user", 403, `{"documentation_url":"https://developer.github.com/v3/#abuse-rate-limits"}`, true, 60 * s},
		{"no permission", "https://api.github.com/user", 403, `{"message":"Resource not accessible"}`, false, unknown},
		{"another host", "https://api.example.com/user", 403, `{"message":"You have exceeded a secondary rate limit."}`, false, unknown},
		{"Linear", "https://api.linear.app/graphql", 400, `{"errors":[{"extensions":{"code":"RATELIMITED"}}]}`, true, unknown},
		{"a bad request", "https://api.linear.app/graphql", 400, `{"errors":[{"extensions":{"code":"INPUT_ERROR"}}]}`, false, unknown},
		{"success", "https://api.linear.app/graphql", 200, `{"errors":[{"extensions":{"code":"RATELIMITED"}}]}`, false, unknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := msg(c.status, "X-RateLimit-Limit: 10", "X-RateLimit-Remaining: 3")
			m.url = c.url
			got := m.read(received, validate.Bounds{})
			require.False(t, got.Throttled, "before the body is read")
			require.Equal(t, c.refused, got.Prove([]byte(c.body)))
			require.Equal(t, c.refused, got.Throttled)
			require.Equal(t, c.wait, got.RetryAfter)
		})
	}
}

// TestRule32Trailers checks that what a header says does not depend on the trailer, which comes after the
// body. A client may never read that to its end.
func TestRule32Trailers(t *testing.T) {
	got := validate.Response(&http.Response{
		StatusCode: http.StatusOK,
		Trailer:    http.Header{"Ratelimit": {`"a";r=0;t=30`}, "X-Ratelimit-Remaining": {"0"}, "Retry-After": {"30"}},
	}, received, validate.Bounds{})
	require.Equal(t, validate.Reading{RetryAfter: validate.Unknown}, got)
}

// TestRule33HostileValues checks that the caller's Bounds clamp the numbers of a server, so that it can
// neither stop a client forever nor let it flood. Without bounds the numbers are reported as sent. The
// drafts warn of such values in their security sections.
func TestRule33HostileValues(t *testing.T) {
	header := []string{`RateLimit-Policy: "a";q=999999999999999;w=1`, `RateLimit: "a";r=999999999999999;t=31536000`, "Retry-After: 31536000"}
	const year = 31536000 * s
	run(t, []row{
		{
			name: "by default", status: 429, header: header,
			limits:  limitList(named("a", limit(validate.DefaultMaxRate, 276_480_000_000, s, validate.DefaultMaxReset))),
			hasWait: true, wait: validate.DefaultMaxReset, refused: true,
			problems: []string{
				"Retry-After: longer than MaxReset, clamped",
				"RateLimit-Policy: more than MaxQuota, clamped",
				"RateLimit: more than MaxQuota, clamped",
				"RateLimit: longer than MaxReset, clamped",
				"RateLimit: faster than MaxRate, clamped",
				"RateLimit-Policy: faster than MaxRate, clamped",
			},
		},
		{
			name: "by a strict caller", status: 429, header: header,
			bounds:  validate.Bounds{MaxReset: 60 * s, MaxQuota: 1000, MaxRate: 5},
			limits:  limitList(named("a", limit(5, 300, s, 60*s))),
			hasWait: true, wait: 60 * s, refused: true,
			problems: []string{
				"Retry-After: longer than MaxReset, clamped",
				"RateLimit-Policy: more than MaxQuota, clamped",
				"RateLimit: more than MaxQuota, clamped",
				"RateLimit: longer than MaxReset, clamped",
				"RateLimit: faster than MaxRate, clamped",
				"RateLimit-Policy: faster than MaxRate, clamped",
			},
		},
		{
			name: "as sent, by a caller without bounds", status: 429, header: header,
			bounds:  validate.Bounds{MaxReset: -1, MaxQuota: -1, MaxRate: -1},
			limits:  limitList(named("a", limit(999999999999999, 999999999999999, s, year))),
			hasWait: true, wait: year, refused: true,
		},
	})
}
