package pacer

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// A hundred thousand idle partitions with one limit each are to fit into 64 MiB,
// together with what package headway keeps of each.
func TestPartitionIsSmall(t *testing.T) {
	require.LessOrEqual(t, unsafe.Sizeof(Partition{}), uintptr(240))
	require.LessOrEqual(t, unsafe.Sizeof(limit{}), uintptr(240))
}
