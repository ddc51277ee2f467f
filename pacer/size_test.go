package pacer_test

import (
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/pacer"
)

// A hundred thousand idle partitions with one limit each are to fit into 64 MiB, together with what package headway
// keeps of each.
func TestPartitionIsSmall(t *testing.T) {
	const n = 1000
	var before, after runtime.MemStats
	partitions := make([]pacer.Partition, n)
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range partitions {
		d := driver{t: t, p: pacer.New(&even), now: start}
		d.get(says(60, minute, 59, minute))
		partitions[i] = d.p
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	each := uint64(unsafe.Sizeof(partitions[0])) + (after.HeapAlloc-before.HeapAlloc)/n
	t.Logf("%d bytes each", each)
	require.LessOrEqual(t, each, uint64(520))
	runtime.KeepAlive(partitions)
}
