package identity

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each case lists requests in their order, and the Routing of each. The first request is the one
// with which the partition began.
func TestMethods(t *testing.T) {
	type step struct {
		request string
		want    Routing
	}
	for _, test := range []struct {
		name  string
		steps []step
	}{
		{"GET first", []step{
			{"GET /a", Routing{Number: 1}},
			{"POST /a", Routing{Number: 3, Like: 1}}, // 2 is that of all paths
			{"DELETE /a", Routing{Number: 4, Like: 1}},
			{"HEAD /a", Routing{Number: 1}},
			{"POST /a", Routing{Number: 3}}, // only the first time
		}},
		{"POST first", []step{
			{"POST /a", Routing{Number: 1}},
			{"PUT /b", Routing{Number: 4}},
			{"POST /a", Routing{Number: 1}},
			{"GET /a", Routing{Number: 5, Like: 1}},
			{"PATCH /a", Routing{Number: 6, Like: 5}},
			{"PURGE /b", Routing{Number: 7, Like: 4}},
		}},
		{"POST before GET", []step{
			{"GET /other", Routing{Number: 1}},
			{"POST /a", Routing{Number: 4}},
			{"GET /a", Routing{Number: 3, Like: 4}},
			{"POST /a", Routing{Number: 4}},
		}},
		{"POST before a longer path", []step{
			{"POST /a", Routing{Number: 1}},
			{"GET /a/b", Routing{Number: 4}},
			{"POST /a", Routing{Number: 1}},
			{"POST /a/b", Routing{Number: 5, Like: 4}},
		}},
		{"of all paths", []step{
			{"OPTIONS /", Routing{Number: 1}},
			{"POST /", Routing{Number: 3}},
			{"GET /", Routing{Number: 2, Like: 3}},
			{"OPTIONS /", Routing{Number: 1}},
		}},
		{"of identifiers", []step{
			{"GET /a/1", Routing{Number: 1}},
			{"DELETE /a/2", Routing{Number: 4, Like: 1}},
			{"DELETE /a/3", Routing{Number: 4}},
			{"GET /a", Routing{Number: 3}},
		}},
		{"of the deepest path", []step{
			{"GET /a/1/c/2/e/3/g/4", Routing{Number: 1}},
			{"POST /a/5/c/6/e/7/g/8", Routing{Number: 10, Like: 1}},
			{"POST /a/1/c/2/e/3/g", Routing{Number: 11}},
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

// Custom methods may use up the room at their depth and below, but not above. A method without room
// has the route of GET.
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
			get, before, room := Routing{Number: 1}, len(r.shapes), maxRoutes-reserved*test.depth
			for i := before; i < 2*maxRoutes; i++ {
				want := Routing{Number: uint8(i + 1), Like: get.Number}
				if i >= room {
					get.Mixed, want = true, Routing{Number: get.Number, Mixed: true}
				} else {
					require.Equal(t, get, r.of("GET", test.path))
				}
				require.Equal(t, want, r.of(fmt.Sprint("M", i), test.path))
			}
			require.Len(t, r.shapes, room)
			require.Equal(t, get, r.of("GET", test.path), "what GET has for good")
			require.Equal(t, Routing{Number: uint8(before)}, r.of("POST", test.path))
		})
	}
}

// A path may find room where its methods do not.
func TestMethodWithoutRoom(t *testing.T) {
	r := newRoutes(shapeOf("GET", "/a"))
	for i := range maxRoutes {
		r.of(fmt.Sprint("M", i), "/a")
	}
	path := Routing{Number: uint8(len(r.shapes) + 1)}
	require.Equal(t, path, r.of("GET", "/b"))
	path.Mixed = true
	require.Equal(t, path, r.of("POST", "/b"))
	require.Equal(t, path, r.of("GET", "/b"), "from now on")
	require.Equal(t, path, r.of("POST", "/b/c"))

	r.of("GET", "/c")
	path = r.of("PUT", "/d")
	require.Equal(t, Routing{Number: path.Number, Mixed: true}, path)
	require.Equal(t, Routing{Number: path.Number + 1}, r.of("GET", "/e"), "the last one")
	require.Equal(t, Routing{Number: 2, Mixed: true}, r.of("PUT", "/f"), "that of all paths")
	require.Equal(t, Routing{Number: 2, Mixed: true}, r.of("GET", "/f"))
	require.Len(t, r.shapes, maxRoutes-reserved)
}
