package validate_test

import "testing"

func TestThrottled(t *testing.T) {
	exhausted := []string{"X-RateLimit-Limit: 10", "X-RateLimit-Remaining: 0"}
	left := []string{"X-RateLimit-Limit: 10", "X-RateLimit-Remaining: 1"}
	run(t, []row{
		{name: "429", status: 429, refused: true},
		{name: "429 with units remaining", status: 429, header: left, limits: limits(limit(10, 1, unsaid, unsaid)), refused: true},
		{name: "503", status: 503},
		{name: "503, nothing remains", status: 503, header: exhausted, limits: limits(limit(10, 0, unsaid, unsaid))},
		{name: "503 with Retry-After", status: 503, header: []string{"Retry-After: 2"}, hasWait: true, wait: 2 * s, refused: true},
		{name: "503 with Retry-After 0", status: 503, header: []string{"Retry-After: 0"}, hasWait: true, refused: true},
		{name: "503 with a malformed Retry-After", status: 503, header: []string{"Retry-After: x"}, problems: []string{"Retry-After: malformed"}},
		{name: "403", status: 403},
		{name: "403 with units remaining", status: 403, header: left, limits: limits(limit(10, 1, unsaid, unsaid))},
		{name: "403, nothing remains", status: 403, header: exhausted, limits: limits(limit(10, 0, unsaid, unsaid)), refused: true},
		{name: "403 with Retry-After", status: 403, header: []string{"Retry-After: 2"}, hasWait: true, wait: 2 * s, refused: true},
		{name: "403 with Retry-After 0", status: 403, header: []string{"Retry-After: 0"}, hasWait: true},
		{
			name: "403 from a cache, nothing remains", status: 403, header: append([]string{"Age: 9"}, exhausted...),
			problems: []string{"Age: limits of a cached response are ignored"},
		},
		{name: "200, nothing remains", header: exhausted, limits: limits(limit(10, 0, unsaid, unsaid))},
		{name: "200 with Retry-After", header: []string{"Retry-After: 2"}, hasWait: true, wait: 2 * s},
		{name: "500 with Retry-After", status: 500, header: []string{"Retry-After: 2"}, hasWait: true, wait: 2 * s},
		{name: "no status that exists", status: -1, header: left, limits: limits(limit(10, 1, unsaid, unsaid))},
	})
}
