//go:build !race

package headway

import (
	"testing"

	"github.com/stretchr/testify/require"
)

var routePaths = []struct{ name, path string }{
	{"root", "/"},
	{"short", "/v1/messages"},
	{"issue", "/repos/golang/go/issues/123"},
	{"token", "/v1/customers/cus_9s6XKzkNRiz8i3/sources"},
	{"deep", "/api/v4/projects/278964/merge_requests/1234/notes/5678"},
	{"hostile", "/" + string(make([]byte, 1<<20))},
}

func TestRouteAllocations(t *testing.T) {
	for _, test := range routePaths {
		t.Run(test.name, func(t *testing.T) {
			require.Zero(t, testing.AllocsPerRun(100, func() { shapeOf("POST", test.path) }))
			r := fullRoutes()
			r.number("POST", test.path)
			require.Zero(t, testing.AllocsPerRun(100, func() { r.number("POST", test.path) }))
		})
	}
}

func BenchmarkShapeOf(b *testing.B) {
	for _, bench := range routePaths {
		b.Run("path="+bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				shapeOf("GET", bench.path)
			}
		})
	}
}

func BenchmarkRouteNumber(b *testing.B) {
	for _, bench := range routePaths {
		b.Run("path="+bench.name+"/routes=few", func(b *testing.B) {
			b.ReportAllocs()
			r := newRoutes(shapeOf("GET", "/search"))
			for b.Loop() {
				r.number("GET", bench.path)
			}
		})
		b.Run("path="+bench.name+"/routes=full", func(b *testing.B) {
			b.ReportAllocs()
			r := fullRoutes()
			for b.Loop() {
				r.number("GET", bench.path)
			}
		})
	}
}

// fullRoutes is what a walk through the repositories of all users leaves.
func fullRoutes() *routes {
	r := newRoutes(shapeOf("GET", "/search"))
	for range 1000 {
		r.number("GET", "/repos/"+randomWord()+"/"+randomWord()+"/issues/1/comments")
	}
	return r
}
