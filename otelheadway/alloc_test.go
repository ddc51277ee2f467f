//go:build !race

package otelheadway_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/series/seriestest"
	"github.com/headway-go/headway/otelheadway"
)

// Recording a request does not allocate. A Transport with hooks does so once for each request.
func TestAllocations(t *testing.T) {
	m := &otelheadway.Meter{}
	_ = read(m)
	require.Equal(t, 1, int(seriestest.Allocations(t, m)))
}
