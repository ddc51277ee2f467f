package replay

import (
	"bytes"
	"io"
	"net/http"
	"sync/atomic"
)

const (
	budget     = 4 << 20  // bytes that one Transport keeps
	drainBytes = 64 << 10 // read of a throttled response, so that its connection can be used again
)

// A Budget counts the bytes that one Transport keeps of throttled responses while their requests wait: up to 4 MiB. Its
// zero value is ready for use. Bodies count once they have been read. Until then only the requests in flight bound them:
// 1,000 that are refused at once with long bodies take some 80 MiB, for 250 ms.
type Budget struct{ atomic.Int64 }

func (b *Budget) reserve(n int) bool {
	if b.Add(int64(n)) <= budget {
		return true
	}
	b.Add(-int64(n))
	return false
}

// Discard reads and closes the body of a response to req that a resend will replace. It reads at most 64 KiB, as a Look
// does, and panics if the body does. If keep is true and the budget allows it, the data replaces the body, as the caller
// may have to get the response after all. A body that is not complete ends with an error. The caller subtracts the stored
// bytes from the budget once the response is handed on or dropped.
func (b *Budget) Discard(req *http.Request, resp *http.Response, keep bool) (stored int64) {
	if resp.Body == nil || resp.Body == http.NoBody {
		return 0
	}
	data, err := drain(req, resp)
	if !keep || !b.reserve(len(data)) {
		data, err = nil, io.ErrUnexpectedEOF
	}
	done := make(chan struct{})
	close(done)
	data = bytes.Clone(data) // without unused capacity
	resp.Body = io.NopCloser(&read{done: done, data: *bytes.NewReader(data), err: err})
	return int64(len(data))
}

// drain reads and closes the body. The error is nil if data is all of it.
func drain(req *http.Request, resp *http.Response) (data []byte, err error) {
	look := &Look{resp: resp, most: drainBytes + 1, ctx: req.Context()}
	err = look.finish()
	body := resp.Body
	closing := start(func([]byte) (int, error) { return 0, body.Close() }, nil)
	if !look.isLate { // otherwise Close may wait for the Read that is running
		closing.wait()
		look.last.wait()
	}
	if len(look.data) > drainBytes {
		return look.data[:drainBytes], io.ErrUnexpectedEOF
	}
	return look.data, err
}
