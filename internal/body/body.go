// Package body watches the bodies of responses until they end.
package body

import (
	"io"
	"sync/atomic"

	"github.com/headway-go/headway/internal/schedule"
)

// A Body reports the end of a response's body: when it has been read, has failed or is closed, whichever comes first. The
// end matters under a limit on concurrent requests, where bytes count, and if the response may have a trailer.
type Body struct {
	io.ReadCloser
	End     schedule.End // zero: the end itself matters to no limit
	Trailer Trailer      // nil: there can be no trailer

	length atomic.Int64 // bytes read so far
	isOver atomic.Bool  // no sync.Once, as a hook that hears of a trailer may close the body
}

// A Trailer is read when the body has been read to its end. What it says is known before the next request gets the place
// of this one.
type Trailer interface{ Read() }

func (b *Body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.length.Add(int64(max(n, 0)))
	switch {
	case err == io.EOF && b.Trailer != nil:
		b.complete()
	case err != nil:
		b.Done()
	}
	return n, err
}

// Close closes the body, which is its end. A trailer is not read any more.
func (b *Body) Close() error {
	defer b.Done()
	return b.ReadCloser.Close()
}

// Done reports the end of the body, unless it has been reported. It is for a body that nobody reads any more, but whose
// Close may block.
func (b *Body) Done() {
	if b.isOver.CompareAndSwap(false, true) {
		b.done()
	}
}

func (b *Body) complete() {
	if b.isOver.CompareAndSwap(false, true) {
		defer b.done() // also if a hook panics
		b.Trailer.Read()
	}
}

func (b *Body) done() { b.End.Done(b.length.Load()) }
