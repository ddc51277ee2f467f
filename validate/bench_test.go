package validate_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/headway-go/headway/validate"
)

// dialects has whole headers as servers send them.
func dialects() map[string]message {
	ok := func(lines ...string) message {
		return msg(http.StatusOK, append([]string{
			date, "Content-Type: application/json", "Content-Length: 1024", "Cache-Control: no-store",
		}, lines...)...)
	}
	list := func(item string) string { return strings.TrimSuffix(strings.Repeat(item+", ", 1000), ", ") }
	return map[string]message{
		"dialect=none":    ok(),
		"dialect=draft10": ok(`RateLimit-Policy: "default";q=100;w=60`, `RateLimit: "default";r=50;t=30`),
		"dialect=draft10-two": ok(`RateLimit-Policy: "permin";q=100;w=60, "perhr";q=1000;w=3600`,
			`RateLimit: "permin";r=50;t=30, "perhr";r=900;t=3000`),
		"dialect=draft07": ok(`RateLimit-Policy: 100;w=60`, `RateLimit: limit=100, remaining=50, reset=30`),
		"dialect=trio": ok("RateLimit-Policy: 100;w=60", "RateLimit-Limit: 100", "RateLimit-Remaining: 50",
			"RateLimit-Reset: 30"),
		"dialect=x-epoch": ok("X-RateLimit-Limit: 100", "X-RateLimit-Remaining: 50", "X-RateLimit-Reset: 1772625630"),
		"dialect=x-delay": ok("X-RateLimit-Limit: 100", "X-RateLimit-Remaining: 50", "X-RateLimit-Reset: 30"),
		"dialect=x-dashed": ok("X-Rate-Limit-Limit: 100", "X-Rate-Limit-Remaining: 50",
			"X-Rate-Limit-Reset: 2026-03-04T12:00:30Z"),
		"dialect=express": ok("RateLimit-Policy: 100;w=60", "RateLimit: limit=100, remaining=50, reset=30",
			"X-RateLimit-Limit: 100", "X-RateLimit-Remaining: 50", "X-RateLimit-Reset: 1772625630"),
		"dialect=retry-after": msg(http.StatusTooManyRequests, date, "Retry-After: Wed, 04 Mar 2026 12:00:30 GMT"),
		"hostile=many":        ok("RateLimit-Policy: "+list(`"a";q=1;w=1`), "RateLimit: "+list(`"b";r=1`)),
		"hostile=quotas":      ok("RateLimit-Policy: "+list(`1;w=1`), "RateLimit-Limit: "+list("1;w=2"), "RateLimit-Remaining: 1"),
		"hostile=huge":        ok(`RateLimit-Policy: "a";q=999999999999999;w=1`, `RateLimit: "a";r=999999999999999;t=999999999999999`),
		"hostile=labels":      {status: http.StatusOK, header: crowdOfNames(validate.MaxLimits)},
		"hostile=syntax":      ok(`RateLimit: "` + strings.Repeat(`\"`, 30_000)),
	}
}

func BenchmarkResponse(b *testing.B) {
	for name, m := range dialects() {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				m.read(received, validate.Bounds{})
			}
		})
	}
}
