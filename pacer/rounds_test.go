package pacer_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Many refusals of one route do not lengthen the hold of another route, whose requests succeed meanwhile.
func TestRoundsOfOneRoute(t *testing.T) {
	d := drive(t, even)
	items, search := via(2), via(3)
	served := several(named("items", 1000, minute, 900, minute))
	for range 60 {
		d.advance(d.waitAs(items))
		d.getAs(items, served)
		d.advance(d.waitAs(search))
		d.getAs(search, refuses(several(named("search", 10, minute, 0, second)), unknown))
	}
	d.getAs(items, served)
	d.getAs(items, refuses(ok(), second))
	require.Less(t, d.waitAs(items), 3*second)
}
