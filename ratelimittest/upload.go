package ratelimittest

import (
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
)

// errBodyLength is what a client learns that sends less or more than it announced.
var errBodyLength = errors.New("ratelimittest: the request's Body is not as long as its ContentLength")

// An upload is the client's request body as the handler reads it. Whoever comes
// first ends it: the handler that returns, or the client that goes away. That
// closes the client's body, which also stops a Read that blocks in it.
type upload struct {
	body   io.ReadCloser // nil: none
	length int64         // as announced; negative: not
	read   int64         // so far
	fail   func(error)   // breaks the client's connection
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
		return n - int(beyond), io.EOF // a server reads no further
	case beyond < 0 && errors.Is(err, io.EOF):
		u.fail(errBodyLength)
		return n, io.ErrUnexpectedEOF
	}
	return n, err
}

// Close ends the upload: a server's handler that closes its request's body reads no more.
func (u *upload) Close() error {
	u.end()
	return nil
}

func (u *upload) end() {
	u.ended.Store(true)
	if u.body != nil {
		u.once.Do(func() { _ = u.body.Close() }) // the caller's body: there is no one to tell
	}
}
