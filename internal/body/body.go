// Package body watches the bodies of responses until they end.
package body

import (
	"io"
	"sync/atomic"

	"github.com/headway-go/headway/internal/gate"
)

// A Body reports the end of a response's body: when it has been read, has failed or is closed, whichever comes first. The
// end matters under a limit on concurrent requests, where bytes count, and if the response announces a trailer.
type Body struct {
	io.ReadCloser
	End     gate.End // zero: the end itself matters to no limit
	Trailer func()   // called once when the body has been read to its end, before End; nil: there is no trailer

	length atomic.Int64 // bytes read so far
	isOver atomic.Bool  // no sync.Once, as a hook that hears of a trailer may close the body
}

func (b *Body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.length.Add(int64(max(n, 0)))
	if err != nil {
		b.Done(err == io.EOF)
	}
	return n, err
}

// Close closes the body, which is its end. A trailer is not read any more.
func (b *Body) Close() error {
	defer b.Done(false)
	return b.ReadCloser.Close()
}

// Done reports the end of the body, unless it has been reported. Without a Read or Close it is for a body that nobody reads
// any more, but whose Close may block.
func (b *Body) Done(isComplete bool) {
	if !b.isOver.CompareAndSwap(false, true) {
		return
	}
	defer func() { b.End.Done(b.length.Load()) }() // also if a hook panics
	if isComplete && b.Trailer != nil {
		b.Trailer()
	}
}
