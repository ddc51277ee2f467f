package ratelimittest

import (
	"io"
	"net/http"
	"sync"
	"sync/atomic"
)

// An upload is the client's request body as the handler reads it. Whoever comes
// first ends it: the handler that returns, or the client that goes away. That
// closes the client's body, which also stops a Read that blocks in it.
type upload struct {
	body  io.ReadCloser // nil: none
	ended atomic.Bool
	once  sync.Once
}

func (u *upload) Read(p []byte) (int, error) {
	if u.ended.Load() {
		return 0, http.ErrBodyReadAfterClose
	}
	return u.body.Read(p)
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
