//go:build !race

package identity

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/kit"
)

var routeRequests = []struct{ name, method, path string }{
	{"root", "GET", "/"},
	{"short", "GET", "/v1/messages"},
	{"posted", "POST", "/v1/messages"},
	{"issue", "GET", "/repos/golang/go/issues/123"},
	{"token", "GET", "/v1/customers/cus_9s6XKzkNRiz8i3/sources"},
	{"deep", "GET", "/api/v4/projects/278964/merge_requests/1234/notes/5678"},
	{"deleted", "DELETE", "/api/v4/projects/278964/merge_requests/1234/notes/5678"},
	{"hostile", "GET", "/" + string(make([]byte, 1<<20))},
}

func TestRouteAllocations(t *testing.T) {
	for _, test := range routeRequests {
		t.Run(test.name, func(t *testing.T) {
			require.Zero(t, testing.AllocsPerRun(100, func() { shapeOf(test.method, test.path) }))
			r := fullRoutes(t)
			r.of(test.method, test.path)
			require.Zero(t, testing.AllocsPerRun(100, func() { r.of(test.method, test.path) }))
		})
	}
}

func BenchmarkShapeOf(b *testing.B) {
	for _, bench := range routeRequests {
		b.Run("request="+bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				shapeOf(bench.method, bench.path)
			}
		})
	}
}

func BenchmarkRouteOf(b *testing.B) {
	for _, bench := range routeRequests {
		b.Run("request="+bench.name+"/routes=few", func(b *testing.B) {
			b.ReportAllocs()
			r := newRoutes(shapeOf("GET", "/search"))
			for b.Loop() {
				r.of(bench.method, bench.path)
			}
		})
		b.Run("request="+bench.name+"/routes=full", func(b *testing.B) {
			b.ReportAllocs()
			r := fullRoutes(b)
			for b.Loop() {
				r.of(bench.method, bench.path)
			}
		})
	}
}

// fullRoutes returns routes without room, as after a walk through the repositories of all users.
func fullRoutes(tb testing.TB) *routes {
	tb.Helper()
	r, rng := newRoutes(shapeOf("GET", "/search")), kit.Chance(tb, "full routes", 0)
	for range 1000 {
		r.of("GET", "/repos/"+randomWord(rng)+"/"+randomWord(rng)+"/issues/1/comments")
	}
	return r
}
