package validate_test

import (
	"testing"
	"time"

	"github.com/headway-go/headway/limits"
)

func TestResponse(t *testing.T) {
	run(t, []row{
		{name: "nothing at all"},
		{name: "no rate-limit field", header: []string{date, "Content-Type: text/plain", "Age: 3"}},
		{
			name:   "draft 10",
			header: []string{`RateLimit-Policy: "default";q=100;w=60`, `RateLimit: "default";r=50;t=30`},
			limits: limitList(named("default", limit(100, 50, 60*s, 30*s))),
		},
		{
			name: "draft 10, two policies, numbers for one",
			header: []string{
				`RateLimit-Policy: "permin";q=50;w=60, "perhr";q=1000;w=3600`,
				`RateLimit: "permin";r=50;t=30`,
			},
			limits: limitList(
				named("permin", limit(50, 50, 60*s, 30*s)),
				named("perhr", limit(1000, unknown, time.Hour, unknown))),
		},
		{
			name: "draft 10, several lines, numbers for both",
			header: []string{
				`RateLimit-Policy: "a";q=5;w=1`, `RateLimit-Policy: "b";q=50;w=60`,
				`RateLimit: "b";r=7;t=9`, `RateLimit: "a";r=3;t=1`,
			},
			limits: limitList(named("b", limit(50, 7, 60*s, 9*s)), named("a", limit(5, 3, s, s))),
		},
		{
			name:   "draft 10, tokens as names, no r",
			header: []string{`RateLimit-Policy: quota;q=100;w=1`, `RateLimit: quota;t=1`},
			limits: limitList(named("quota", limit(100, unknown, s, s))),
		},
		{
			name:   "draft 10, no t",
			header: []string{`RateLimit-Policy: "default";q=100`, `RateLimit: "default";r=0`},
			limits: limitList(named("default", limit(100, 0, unknown, unknown))),
		},
		{
			name:   "draft 10, units",
			header: []string{`RateLimit-Policy: "n";q=9;qu="concurrent-requests", "b";q=1000000000;w=1;qu="content-bytes"`, `RateLimit: "n";r=4`},
			limits: limitList(
				named("n", withUnit(limits.ConcurrentRequests, limit(9, 4, unknown, unknown))),
				named("b", withUnit(limits.ContentBytes, limit(1e9, unknown, s, unknown)))),
		},
		{
			name:   "draft 10 without RateLimit-Policy",
			header: []string{`RateLimit: "default";r=50;t=30`},
			limits: limitList(named("default", limit(unknown, 50, unknown, 30*s))),
		},
		{
			name:   "a policy alone",
			header: []string{`RateLimit-Policy: "project.create.user";q=4;w=86400`},
			limits: limitList(named("project.create.user", limit(4, unknown, 24*time.Hour, unknown))),
		},
		{
			name:   "draft 07",
			header: []string{`RateLimit-Policy: 100;w=60`, `RateLimit: limit=100, remaining=50, reset=5`},
			limits: limitList(limit(100, 50, 60*s, 5*s)),
		},
		{
			name:   "draft 07 without limit takes the only policy",
			header: []string{`RateLimit-Policy: 100;w=60`, `RateLimit: remaining=50, reset=5`},
			limits: limitList(limit(100, 50, 60*s, 5*s)),
		},
		{
			name:   "trio of draft 06",
			header: []string{"RateLimit-Policy: 100;w=60", "RateLimit-Limit: 100", "RateLimit-Remaining: 50", "RateLimit-Reset: 30"},
			limits: limitList(limit(100, 50, 60*s, 30*s)),
		},
		{
			name:   "trio of draft 03",
			header: []string{"RateLimit-Limit: 100, 100;w=60, 1000;w=3600", "RateLimit-Remaining: 50", "RateLimit-Reset: 30"},
			limits: limitList(
				named("100;w=60", limit(100, 50, 60*s, 30*s)),
				named("1000;w=3600", limit(1000, unknown, time.Hour, unknown))),
		},
		{
			name:   "trio with an epoch",
			header: []string{date, "RateLimit-Limit: 100", "RateLimit-Remaining: 50", "RateLimit-Reset: 1772625630"},
			limits: limitList(limit(100, 50, unknown, 30*s)),
		},
		{
			name:   "X-RateLimit with an epoch",
			header: []string{date, "X-RateLimit-Limit: 100", "X-RateLimit-Remaining: 50", "X-RateLimit-Reset: 1772625630"},
			limits: limitList(limit(100, 50, unknown, 30*s)),
		},
		{
			name:   "X-RateLimit with milliseconds, a name and what was used",
			header: []string{date, "X-RateLimit-Limit: 100", "X-RateLimit-Used: 40", "X-RateLimit-Reset: 1772625630500", "X-RateLimit-Resource: core"},
			limits: limitList(named("core", limit(100, 60, unknown, 30500*time.Millisecond))),
		},
		{
			name:   "X-Rate-Limit with a delay",
			header: []string{"X-Rate-Limit-Limit: 20.00", "X-Rate-Limit-Remaining: 19", "X-Rate-Limit-Reset: 1"},
			limits: limitList(limit(20, 19, unknown, s)),
		},
		{
			name:   "X-Rate-Limit with a window for the limit",
			header: []string{date, "X-Rate-Limit-Limit: 1m", "X-Rate-Limit-Remaining: 19", "X-Rate-Limit-Reset: 2026-03-04T12:00:30.5000000Z"},
			limits: limitList(limit(unknown, 19, 60*s, 30500*time.Millisecond)),
		},
		{
			name:    "Retry-After alone",
			status:  429,
			header:  []string{"Retry-After: 30"},
			hasWait: true, wait: 30 * s, refused: true,
		},
	})
}
