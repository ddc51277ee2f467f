package validate_test

import "testing"

func TestCached(t *testing.T) {
	ours := func(lines ...string) []string {
		return append(lines, `RateLimit: "a";r=5;t=3`)
	}
	believed := limits(named("a", limit(unsaid, 5, unsaid, 3*s)))
	aged := []string{"Age: limits of a cached response are ignored"}
	marked := []string{"X-From-Cache: limits of a cached response are ignored"}
	run(t, []row{
		{name: "Age", header: ours("Age: 17"), problems: aged},
		{name: "Age with zeros", header: ours("Age: 100"), problems: aged},
		{name: "Age with space", header: ours("Age:  \t17 "), problems: aged},
		{name: "Age, the first counts", header: ours("Age: 0, 17"), limits: believed},
		{name: "Age, the first line counts", header: ours("Age: 17", "Age: 0"), problems: aged},
		{name: "Age without end", header: ours("Age: 99999999999999999999999999"), problems: aged},
		{name: "Age 000", header: ours("Age: 000"), limits: believed},
		{name: "Age is no number", header: ours("Age: 1x"), limits: believed},
		{name: "Age negative", header: ours("Age: -1"), limits: believed},
		{name: "Age empty", header: ours("Age:"), limits: believed},
		{name: "Age without limits", header: []string{"Age: 17"}},
		{name: "X-From-Cache", header: ours("X-From-Cache: 1"), problems: marked},
		{name: "X-From-Cache in words", header: ours("X-From-Cache: true"), problems: marked},
		{name: "X-From-Cache denied", header: ours("X-From-Cache: 0"), limits: believed},
		{name: "X-From-Cache of another meaning", header: ours("X-From-Cache: MISS"), limits: believed},
		{
			name: "Retry-After in seconds is kept whole", status: 503,
			header: []string{date, "Age: 17", "Retry-After: 20"}, hasWait: true, wait: 20 * s, refused: true,
		},
		{
			name: "Retry-After date counts from Date and Age", status: 503,
			header:  []string{"Date: Wed, 04 Mar 2026 11:00:00 GMT", "Age: 17", "Retry-After: Wed, 04 Mar 2026 11:00:20 GMT"},
			hasWait: true, wait: 3 * s, refused: true,
		},
		{
			name: "Retry-After date of the client's own cache counts from now", status: 503,
			header:  []string{"Date: Wed, 04 Mar 2026 11:00:00 GMT", "X-From-Cache: 1", "Retry-After: Wed, 04 Mar 2026 12:00:20 GMT"},
			hasWait: true, wait: 20 * s, refused: true,
		},
	})
}
