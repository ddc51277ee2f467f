package proxy

import "sync/atomic"

// A budget bounds the bytes that all recordings keep.
type budget struct {
	most int64
	left atomic.Int64
}

func newBudget(bytes int64) *budget {
	b := &budget{most: bytes}
	b.left.Store(bytes)
	return b
}

// take reports whether n more bytes may be kept.
func (b *budget) take(n int) bool {
	if b.left.Add(-int64(n)) >= 0 {
		return true
	}
	b.give(n)
	return false
}

func (b *budget) give(n int) { b.left.Add(int64(n)) }

// kept is content in blocks, each of which counts as a whole. One slice that grows would hold up to twice what it counts, and
// leave as much for the garbage collector.
type kept struct {
	budget *budget
	blocks [][]byte // all but the last are full
	length int      // of the content
}

// free is the room in the last block, which extend fills.
func (k *kept) free() []byte {
	if len(k.blocks) == 0 {
		return nil
	}
	last := k.blocks[len(k.blocks)-1]
	return last[len(last):cap(last)]
}

// extend says that n bytes of the room were filled.
func (k *kept) extend(n int) {
	last := &k.blocks[len(k.blocks)-1]
	*last = (*last)[:len(*last)+n]
	k.length += n
}

// grow adds a block, whose size the budget has allowed.
func (k *kept) grow(size int) { k.blocks = append(k.blocks, make([]byte, 0, size)) }

// add keeps p, even beyond the budget. Blocks get larger with the content, which may come byte by byte.
func (k *kept) add(p []byte) {
	for len(p) > 0 {
		if len(k.free()) == 0 {
			size := min(max(len(p), k.length), bufferSize)
			k.budget.give(-size)
			k.grow(size)
		}
		n := copy(k.free(), p)
		k.extend(n)
		p = p[n:]
	}
}

// copy copies what is kept from offset on to p, as far as it lies in one block.
func (k *kept) copy(p []byte, offset int) int {
	for _, block := range k.blocks {
		if offset < len(block) {
			return copy(p, block[offset:])
		}
		offset -= len(block)
	}
	return 0
}

func (k *kept) drop() {
	for _, block := range k.blocks {
		k.budget.give(cap(block))
	}
	k.blocks, k.length = nil, 0
}
