package identity

import (
	"net/url"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// A Paths takes 16 bytes, as there is one for each partition.
func TestPathsAreSmall(t *testing.T) {
	require.LessOrEqual(t, int(unsafe.Sizeof(Paths{})), 16)
}

func TestPaths(t *testing.T) {
	type step struct {
		method, path string
		needed       bool
		want         Routing
	}
	const needed = true
	for _, test := range []struct {
		name  string
		steps []step
	}{
		{"one route", []step{
			{"GET", "/a/1", needed, Routing{}},
			{"GET", "/a/2", needed, Routing{}},
			{"GET", "/a/2", needed, Routing{}},
			{"HEAD", "/a/2", needed, Routing{}},
			{"", "/a/3", needed, Routing{}},
		}},
		{"another", []step{
			{"GET", "/a/1", needed, Routing{}},
			{"GET", "/b", needed, Routing{Number: 3}}, // 2 is that of all paths
			{"GET", "/a/1", needed, Routing{Number: 1}},
			{"GET", "/a/2", !needed, Routing{Number: 1}},
			{"GET", "/c", !needed, Routing{Number: 4}},
		}},
		{"another method", []step{
			{"GET", "/a", needed, Routing{}},
			{"GET", "/a", needed, Routing{}},
			{"POST", "/a", needed, Routing{Number: 3, Like: 1}},
			{"POST", "/a", needed, Routing{Number: 3}},
		}},
		{"another before that matters", []step{
			{"GET", "/a", !needed, Routing{}},
			{"GET", "/b", !needed, Routing{}},
			{"GET", "/a", needed, Routing{}},
			{"GET", "/b", needed, Routing{Number: 3}},
		}},
		{"escaped", []step{
			{"GET", "/projects/group/issues", needed, Routing{}},
			{"GET", "/projects/gitlab-org%2Fgitlab/issues", needed, Routing{Number: 5}},
			{"GET", "/projects/278964/issues", needed, Routing{Number: 5}},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var p Paths
			for i, step := range test.steps {
				u, err := url.Parse("https://api.example.com" + step.path)
				require.NoError(t, err)
				require.Equal(t, step.want, p.Route(step.method, u, step.needed), "step %d", i)
			}
		})
	}
}
