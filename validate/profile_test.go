package validate_test

import (
	"math"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/validate"
)

// under reads the response with the given profiles.
func (m message) under(own ...validate.Profile) validate.Reading {
	return validate.Response(m.response(), received, validate.Bounds{}, own...)
}

// from returns m as the response to a request of that URL.
func (m message) from(url string) message {
	m.url = url
	return m
}

// refuses420 returns a profile that shows whether it applies: status 420 is a refusal by this profile only.
func refuses420(host, path string) validate.Profile {
	return validate.Profile{Host: host, Path: path, Statuses: []int{420}}
}

func TestProfileHosts(t *testing.T) {
	for _, c := range []struct {
		name, host, url string
		want            bool
	}{
		{"the host", "api.example.com", "https://api.example.com/a", true},
		{"below it", "example.com", "https://api.example.com/a", true},
		{"above it", "api.example.com", "https://example.com/a", false},
		{"beside it", "api.example.com", "https://www.example.com/a", false},
		{"any port", "example.com", "https://api.example.com:8443/a", true},
		{"the root's dot", "example.com", "https://api.example.com./a", true},
		{"a URL in upper case", "example.com", "https://API.Example.COM/a", true},
		{"a profile in upper case", "Example.COM", "https://api.example.com/a", true},
		{"one label", "localhost", "http://localhost:8080/a", true},
		{"a top-level domain", "example", "https://api.example/a", true},
		{"another IPv4", "192.0.2.1", "http://192.0.2.11/a", false},
		{"IPv6", "2001:db8::1", "http://[2001:db8::1]:8080/a", true},

		{"a longer label", "example.com", "https://notexample.com/a", false},
		{"a name that begins so", "example.com", "https://example.com.evil.example/a", false},
		{"a name that holds it", "example.com", "https://a.example.com.evil.example/a", false},
		{"a user of that name", "example.com", "https://example.com@evil.example/a", false},
		{"a path of that name", "example.com", "https://evil.example/.example.com", false},
		{"a part of the name", "example.com", "https://ample.com/a", false},
		{"a zone of that name", "example.com", "http://[fe80::1%25eth0.example.com]/a", false},

		{"no host in the profile", "", "https://api.example.com/a", false},
		{"no host in the URL", "example.com", "/a", false},
		{"a port in the profile", "example.com:8443", "https://example.com:8443/a", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			u, err := url.Parse(c.url)
			require.NoError(t, err)
			resp := &http.Response{StatusCode: 420, Request: &http.Request{URL: u}}
			got := validate.Response(resp, received, validate.Bounds{}, refuses420(c.host, ""))
			require.Equal(t, c.want, got.Verdict.IsRefusal())
		})
	}
}

func TestProfilePaths(t *testing.T) {
	for _, c := range []struct {
		name, path, url string
		want            bool
	}{
		{"all", "", "https://example.com/a", true},
		{"the path", "/v1/", "https://example.com/v1/", true},
		{"the beginning of a segment", "/v1", "https://example.com/v10", true},
		{"another", "/v1/", "https://example.com/v2/", false},
		{"in the middle", "/v1/", "https://example.com/a/v1/", false},
		{"escaped", "/v 1/", "https://example.com/v%201/", true},
		{"of another host", "/v1/", "https://example.org/v1/", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, msg(420).from(c.url).under(refuses420("example.com", c.path)).Verdict.IsRefusal())
		})
	}
}

// TestProfileWithoutARequest checks that no profile applies to a response without a Request, and that the
// response is read.
func TestProfileWithoutARequest(t *testing.T) {
	everywhere := []validate.Profile{refuses420("example.com", ""), refuses420("", "")}
	for _, c := range []struct {
		name string
		req  *http.Request
	}{
		{"no Request", nil},
		{"no URL", &http.Request{}},
		{"no URL, but a Host", &http.Request{Host: "example.com"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			resp := &http.Response{StatusCode: 420, Request: c.req, Header: http.Header{"X-Ratelimit-Reset": {"5"}}}
			got := validate.Response(resp, received, validate.Bounds{}, everywhere...)
			require.False(t, got.Verdict.IsRefusal())
			require.Equal(t, 5*s, got.Limits[0].Reset)
		})
	}
}

// TestProfilePrecedence checks that only the first matching profile counts, and that the caller's
// profiles come before the built-in ones.
func TestProfilePrecedence(t *testing.T) {
	const url = "https://api.github.com/user"
	half := validate.Profile{Host: "github.com", MinWait: 30 * s}
	quarter := validate.Profile{Host: "api.github.com", MinWait: 15 * s}
	elsewhere := validate.Profile{Host: "example.com", MinWait: s}
	graphql := validate.Profile{Host: "api.github.com", Path: "/graphql", MinWait: 2 * s}
	for _, c := range []struct {
		name string
		own  []validate.Profile
		want time.Duration
	}{
		{"none of the caller's", nil, 60 * s},
		{"the caller's", []validate.Profile{half}, 30 * s},
		{"the first of two", []validate.Profile{half, quarter}, 30 * s},
		{"one for another path before it", []validate.Profile{graphql, half}, 30 * s},
		{"for another host", []validate.Profile{elsewhere}, 60 * s},
		{"for no host", []validate.Profile{{MinWait: s}}, 60 * s},
		{"an empty profile", []validate.Profile{{Host: "github.com"}}, unknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, msg(429).from(url).under(c.own...).RetryAfter)
		})
	}
}

func TestResetUnit(t *testing.T) {
	for _, c := range []struct {
		name  string
		unit  time.Duration
		field string
		want  time.Duration
	}{
		{"no unit", 0, "X-Rate-Limit-Reset: 600", 600 * s},
		{"negative", -time.Millisecond, "X-Rate-Limit-Reset: 600", 600 * s},
		{"milliseconds", time.Millisecond, "X-Rate-Limit-Reset: 600000", 600 * s},
		{"milliseconds with a fraction", time.Millisecond, "X-Rate-Limit-Reset: 1500.5", 1500*time.Millisecond + 500*time.Microsecond},
		{"a negative number of them", time.Millisecond, "X-Rate-Limit-Reset: -5", 0},
		{"nanoseconds", 1, "X-Rate-Limit-Reset: 2500000", 2500 * time.Microsecond},
		{"hours", time.Hour, "X-Rate-Limit-Reset: 1.5", 90 * time.Minute},
		{"more of them than can be counted", math.MaxInt64, "X-Rate-Limit-Reset: 31622400", validate.DefaultMaxReset},

		{"X-RateLimit-Reset", time.Millisecond, "X-RateLimit-Reset: 600000", 600 * s},
		{"a label", time.Millisecond, "X-RateLimit-Reset-Tokens: 600000", 600 * s},
		{"milliseconds that cannot be seconds", time.Millisecond, "X-Rate-Limit-Reset: 86400000", 86400 * s},
		{"an epoch in milliseconds", time.Millisecond, "X-Rate-Limit-Reset: 1772625630000", 30 * s},
		{"a date", time.Millisecond, "X-Rate-Limit-Reset: 2026-03-04T12:00:30Z", 30 * s},
		{"-Reset-After", time.Millisecond, "X-RateLimit-Reset-After: 600", 600 * s},
		{"RateLimit", time.Millisecond, `RateLimit: "a";r=0;t=600`, 600 * s},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := validate.Profile{Host: "example.com", ResetUnit: c.unit}
			lines := []string{date, c.field, "X-RateLimit-Remaining: 0", "X-Rate-Limit-Remaining: 0", "RateLimit-Remaining: 0", "X-RateLimit-Remaining-Tokens: 0"}
			got := msg(200, lines...).from("https://example.com/").under(p)
			require.Equal(t, []time.Duration{c.want}, knownResets(got))
		})
	}
	t.Run("Retry-After", func(t *testing.T) {
		p := validate.Profile{Host: "example.com", ResetUnit: time.Millisecond}
		require.Equal(t, 600*s, msg(429, "Retry-After: 600").from("https://example.com/").under(p).RetryAfter)
	})
}

// knownResets returns the resets that are not Unknown.
func knownResets(r validate.Reading) (all []time.Duration) {
	for i := range r.Limits {
		if t := r.Limits[i].Reset; t != validate.Unknown {
			all = append(all, t)
		}
	}
	return all
}

func TestWindows(t *testing.T) {
	const quarter, day = 900 * s, 86400 * s
	pair := []time.Duration{quarter, day}
	run := func(name string, windows []time.Duration, lines []string, want ...limits.Reported) {
		t.Run(name, func(t *testing.T) {
			got := msg(200, lines...).from("https://example.com/").under(validate.Profile{Host: "example.com", Windows: windows})
			require.Equal(t, want, withoutDialects(got.Limits))
			require.Empty(t, got.Problems)
		})
	}
	numbers := []string{"X-RateLimit-Limit: 600,30000", "X-RateLimit-Usage: 314,27536"}
	first := func(window time.Duration) limits.Reported { return named("600", limit(600, 286, window, unknown)) }
	second := func(window time.Duration) limits.Reported { return named("30000", limit(30000, 2464, window, unknown)) }
	run("by position", pair, numbers, first(quarter), second(day))
	run("the second only", []time.Duration{0, day}, numbers, first(unknown), second(day))
	run("more than limits", append(pair[:2:2], s), numbers, first(quarter), second(day))
	run("none", nil, numbers, first(unknown), second(unknown))
	run("one number is the first", pair, []string{"X-RateLimit-Limit: 600", "X-RateLimit-Remaining: 286"}, limit(600, 286, quarter, unknown))
	run("nothing but the reset", pair, []string{"X-RateLimit-Reset: 30"}, limit(unknown, unknown, unknown, 30*s))
	run("a reset too", pair, []string{"X-RateLimit-Limit: 600", "X-RateLimit-Reset: 30"}, limit(600, unknown, quarter, 30*s))
	run("each field has a first", pair,
		append([]string{"X-ReadRateLimit-Limit: 100,1000", "X-ReadRateLimit-Usage: 1,13"}, numbers...),
		first(quarter), second(day), named("read 100", limit(100, 99, quarter, unknown)), named("read 1000", limit(1000, 987, day, unknown)))

	// A profile never overrides what a response reports.
	run("a reported window", pair, []string{"X-RateLimit-Limit: 600", "X-RateLimit-Period: 60"}, limit(600, unknown, 60*s, unknown))
	run("a window of a policy", pair, []string{"RateLimit-Limit: 600, 600;w=60"}, limit(600, unknown, 60*s, unknown))
	run("a window in the label", pair, []string{"X-RateLimit-Limit-Minute: 600"}, named("minute", limit(600, unknown, 60*s, unknown)))
	run("a reset beyond the window", pair, []string{"X-RateLimit-Limit: 600", "X-RateLimit-Reset: 3600"}, limit(600, unknown, unknown, 3600*s))
}
