package headway

import (
	"fmt"
	"hash/maphash"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/validate"
)

// A server cannot flood the log, or memory, with fields that are wrong in ever new ways.
func TestReportedProblemsAreBounded(t *testing.T) {
	l := &log{seed: maphash.MakeSeed(), reported: make(map[uint64]struct{})}
	for i := range 10 * maxReported {
		info := IgnoredInfo{Problem: &validate.Problem{Field: fmt.Sprint("field ", i)}}
		require.Equal(t, i < maxReported, l.isFirst(info))
		require.False(t, l.isFirst(info))
	}
	require.Len(t, l.reported, maxReported)
}
