//go:build !race

package otelheadway_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/series/seriestest"
	"github.com/headway-go/headway/otelheadway"
)

// Recording a request does not allocate.
func TestAllocations(t *testing.T) {
	m := &otelheadway.Meter{}
	_ = read(m)
	require.Zero(t, int(seriestest.Allocations(t, m)))
}
