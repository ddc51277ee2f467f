package replay

import "sync/atomic"

// budget is how many bytes of bodies one Transport keeps for resends that wait.
const budget = 4 << 20

// A Budget bounds what is kept of refused responses while their requests wait: 4 MiB in
// all. What exceeds it is not kept. One Transport has one. Its zero value is ready for
// use, also concurrent use.
type Budget struct{ used atomic.Int64 }

// Used returns how many bytes are kept now, or are set aside for bodies that are still
// being read.
func (b *Budget) Used() int64 { return b.used.Load() }

// reserve takes n bytes. It is false if there are not as many left.
func (b *Budget) reserve(n int) bool {
	for {
		used := b.used.Load()
		if used+int64(n) > budget {
			return false
		}
		if b.used.CompareAndSwap(used, used+int64(n)) {
			return true
		}
	}
}

func (b *Budget) giveBack(n int) { b.used.Add(-int64(n)) }
