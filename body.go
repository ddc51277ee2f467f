package headway

import (
	"io"
	"net/http"
	"sync"
	"sync/atomic"
)

// A watchedBody is the body of a response whose end matters: the request takes a
// place in a limit on requests in flight, or its bytes count. The end is when the body
// has been read, has failed, or is closed, whichever comes first.
type watchedBody struct {
	io.ReadCloser
	partition *partition
	verdict   verdict
	length    atomic.Int64 // as far as it was read
	once      sync.Once
}

func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.length.Add(int64(max(n, 0)))
	if err != nil {
		b.once.Do(b.end)
	}
	return n, err
}

func (b *watchedBody) Close() error {
	defer b.once.Do(b.end)
	return b.ReadCloser.Close()
}

func (b *watchedBody) end() { b.partition.ended(b.verdict, b.length.Load()) }

// bodyFollows reports whether a body is still to be read when a response's
// header is in. The body of a 101 is the connection itself, which belongs to
// another protocol from now on.
func bodyFollows(req *http.Request, resp *http.Response) bool {
	return resp.Body != nil && resp.Body != http.NoBody &&
		req.Method != http.MethodHead && resp.StatusCode != http.StatusSwitchingProtocols
}
