package replay

import "sync/atomic"

// budget is how many bytes of bodies one Transport stores while resends wait.
const budget = 4 << 20

// A Budget bounds the bodies that one Transport stores of refused responses while their requests wait: to 4 MiB in all.
// The rest is dropped. The zero value is ready for use. It is safe for concurrent use.
type Budget struct{ used atomic.Int64 }

// Used returns how many bytes are stored now, or are reserved for bodies that are being read.
func (b *Budget) Used() int64 { return b.used.Load() }

// reserve takes n bytes. It reports false if fewer are left.
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
