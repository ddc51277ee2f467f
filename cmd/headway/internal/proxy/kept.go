package proxy

import (
	"bytes"
	"io"
	"sync/atomic"
)

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
func (b *budget) take(n int64) bool {
	if b.left.Add(-n) >= 0 {
		return true
	}
	b.left.Add(n)
	return false
}

// give gives back what blocks have taken.
func (b *budget) give(all blocks) {
	for _, block := range all {
		b.left.Add(int64(cap(block)))
	}
}

// blocks are content in parts, each of which was taken from a budget as a whole. One slice that grows would hold up to twice
// what it counts, and leave as much for the garbage collector.
type blocks [][]byte

func (b blocks) reader() io.Reader {
	if len(b) == 1 { // as mostly; net/http copies it without a buffer of its own
		return bytes.NewReader(b[0])
	}
	readers := make([]io.Reader, len(b))
	for i, block := range b {
		readers[i] = bytes.NewReader(block)
	}
	return io.MultiReader(readers...)
}
