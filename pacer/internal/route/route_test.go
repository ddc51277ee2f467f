package route_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/pacer/internal/route"
)

const core, search, both = route.Set(1), route.Set(2), route.Set(3)

// "core" and "search" are known. Each response reports some limits; after the last one, "search" or all are exempt.
func TestExempt(t *testing.T) {
	for _, row := range []struct {
		name    string
		alone   bool
		mixed   bool
		reports []route.Set
		exempt  route.Set
	}{
		{"other routes: one response proves it", false, false, []route.Set{both, core}, search},
		{"the first response of a lone route", true, false, []route.Set{core}, search},
		{"a lone route: two in a row do not", true, false, []route.Set{both, core, core}, 0},
		{"three do", true, false, []route.Set{both, core, core, core}, search},
		{"not in a row", true, false, []route.Set{both, core, core, both, core, core}, 0},
		{"several kinds of requests", false, true, []route.Set{both, core, core}, 0},
		{"no limit: two in a row prove nothing", false, false, []route.Set{both, 0, 0}, 0},
		{"three do, for all", false, false, []route.Set{both, 0, 0, 0}, both},
		{"a later report ends it", false, false, []route.Set{both, core, search}, core},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := route.Route{Fresh: true, Mixed: row.mixed}
			for _, reported := range row.reports {
				r.Observe(reported, both, both, true, row.alone)
			}
			require.Equal(t, row.exempt, r.Exempt)
		})
	}
}

// A refusal without limits proves nothing.
func TestNoNews(t *testing.T) {
	r := route.Route{}
	for range 5 {
		r.Observe(0, both, both, false, false)
	}
	require.Zero(t, r.Exempt)
}

// The places of a set's limits come in order.
func TestSet(t *testing.T) {
	s := route.Of(3) | route.Of(5)
	require.Equal(t, 3, s.First())
	require.Equal(t, route.Of(5), s.Rest())
	require.True(t, s.Meets(route.Of(5)))
}
