package headway

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Requests in the order in which they are seen, and what routes say of each. The
// first one is that of the shape that a partition begins with.
func TestMethods(t *testing.T) {
	type step struct {
		request string
		want    routing
	}
	for _, test := range []struct {
		name  string
		steps []step
	}{
		{"GET first", []step{
			{"GET /a", routing{number: 1}},
			{"POST /a", routing{number: 3, like: 1}}, // 2 is that of all paths
			{"DELETE /a", routing{number: 4, like: 1}},
			{"HEAD /a", routing{number: 1}},
			{"POST /a", routing{number: 3}}, // only the first time
		}},
		{"POST first", []step{
			{"POST /a", routing{number: 1}},
			{"PUT /b", routing{number: 4}},
			{"POST /a", routing{number: 1}},
			{"GET /a", routing{number: 5, like: 1}},
			{"PATCH /a", routing{number: 6, like: 5}},
			{"PURGE /b", routing{number: 7, like: 4}},
		}},
		{"POST before GET", []step{
			{"GET /other", routing{number: 1}},
			{"POST /a", routing{number: 4}},
			{"GET /a", routing{number: 3, like: 4}},
			{"POST /a", routing{number: 4}},
		}},
		{"POST before a longer path", []step{
			{"POST /a", routing{number: 1}},
			{"GET /a/b", routing{number: 4}},
			{"POST /a", routing{number: 1}},
			{"POST /a/b", routing{number: 5, like: 4}},
		}},
		{"of all paths", []step{
			{"OPTIONS /", routing{number: 1}},
			{"POST /", routing{number: 3}},
			{"GET /", routing{number: 2, like: 3}},
			{"OPTIONS /", routing{number: 1}},
		}},
		{"of identifiers", []step{
			{"GET /a/1", routing{number: 1}},
			{"DELETE /a/2", routing{number: 4, like: 1}},
			{"DELETE /a/3", routing{number: 4}},
			{"GET /a", routing{number: 3}},
		}},
		{"of the deepest path", []step{
			{"GET /a/1/c/2/e/3/g/4", routing{number: 1}},
			{"POST /a/5/c/6/e/7/g/8", routing{number: 10, like: 1}},
			{"POST /a/1/c/2/e/3/g", routing{number: 11}},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var r *routes
			for _, step := range test.steps {
				method, path, _ := strings.Cut(step.request, " ")
				if r == nil {
					r = newRoutes(shapeOf(method, path))
				}
				require.Equal(t, step.want, r.of(method, path), step.request)
			}
		})
	}
}

// Methods of one's own use up the room at their depth and what is left for deeper
// paths, but not that above. What finds none has the route of GET.
func TestManyMethods(t *testing.T) {
	for _, test := range []struct {
		name, path string
		depth      int // of the methods
	}{
		{"of all paths", "/", 1},
		{"of a path", "/a", 2},
		{"of a deep path", "/a/b/c", 4},
		{"of the deepest path", "/a/b/c/d/e/f/g/h", 9},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newRoutes(shapeOf("GET", test.path))
			r.of("POST", test.path)
			get, before, room := routing{number: 1}, len(r.shapes), maxRoutes-reserved*test.depth
			for i := before; i < 2*maxRoutes; i++ {
				want := routing{number: uint8(i + 1), like: get.number}
				if i >= room {
					get.mixed, want = true, routing{number: get.number, mixed: true}
				} else {
					require.Equal(t, get, r.of("GET", test.path))
				}
				require.Equal(t, want, r.of(fmt.Sprint("M", i), test.path))
			}
			require.Len(t, r.shapes, room)
			require.Equal(t, get, r.of("GET", test.path), "what GET has for good")
			require.Equal(t, routing{number: uint8(before)}, r.of("POST", test.path))
		})
	}
}

// A path may find room where its methods find none any more.
func TestMethodWithoutRoom(t *testing.T) {
	r := newRoutes(shapeOf("GET", "/a"))
	for i := range maxRoutes {
		r.of(fmt.Sprint("M", i), "/a")
	}
	path := routing{number: uint8(len(r.shapes) + 1)}
	require.Equal(t, path, r.of("GET", "/b"))
	path.mixed = true
	require.Equal(t, path, r.of("POST", "/b"))
	require.Equal(t, path, r.of("GET", "/b"), "from now on")
	require.Equal(t, path, r.of("POST", "/b/c"))

	r.of("GET", "/c")
	path = r.of("PUT", "/d")
	require.Equal(t, routing{number: path.number, mixed: true}, path)
	require.Equal(t, routing{number: path.number + 1}, r.of("GET", "/e"), "the last one")
	require.Equal(t, routing{number: 2, mixed: true}, r.of("PUT", "/f"), "that of all paths")
	require.Equal(t, routing{number: 2, mixed: true}, r.of("GET", "/f"))
	require.Len(t, r.shapes, maxRoutes-reserved)
}
