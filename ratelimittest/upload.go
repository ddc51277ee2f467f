package ratelimittest

import (
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
)

// errBodyLength is the client's error if its request's Body is shorter or longer than announced.
var errBodyLength = errors.New("ratelimittest: the request's Body is not as long as its ContentLength")

// An upload is the request's Body, for the handler. It ends when the handler returns or the client leaves.
// Its end closes the client's Body, which also interrupts a Read in progress.
type upload struct {
	body   io.ReadCloser // the client's Body; nil: none
	length int64         // ContentLength; negative: unknown
	read   int64         // bytes read so far
	fail   func(error)   // breaks the connection for the client
	ended  atomic.Bool
	once   sync.Once
}

func (u *upload) Read(p []byte) (int, error) {
	if u.ended.Load() {
		return 0, http.ErrBodyReadAfterClose
	}
	n, err := u.body.Read(p)
	if u.length < 0 {
		return n, err
	}
	u.read += int64(n)
	switch beyond := u.read - u.length; {
	case beyond > 0:
		u.read = u.length
		u.fail(errBodyLength)
		return n - int(beyond), io.EOF // a server ignores what follows
	case beyond < 0 && errors.Is(err, io.EOF):
		u.fail(errBodyLength)
		return n, io.ErrUnexpectedEOF
	}
	return n, err
}

// Close ends the upload. A handler that closes its request's Body cannot read any more.
func (u *upload) Close() error {
	u.end()
	return nil
}

func (u *upload) end() {
	u.ended.Store(true)
	if u.body != nil {
		u.once.Do(func() { _ = u.body.Close() }) // nobody would handle the error
	}
}
