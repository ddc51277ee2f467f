package headway

import (
	"io"
	"net/http"
	"sync"
)

// A placeBody is the body of a response whose request takes a place in a limit
// on requests in flight. The place is freed when the body has been read, has
// failed, or is closed, whichever comes first.
type placeBody struct {
	io.ReadCloser
	partition *partition
	once      sync.Once
}

func (b *placeBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.once.Do(b.free)
	}
	return n, err
}

func (b *placeBody) Close() error {
	defer b.once.Do(b.free)
	return b.ReadCloser.Close()
}

func (b *placeBody) free() {
	p := b.partition
	p.mu.Lock()
	defer p.mu.Unlock()
	p.release(p.clock.now())
}

// bodyFollows reports whether a body is still to be read when a response's
// header is in. The body of a 101 is the connection itself, which belongs to
// another protocol from now on.
func bodyFollows(req *http.Request, resp *http.Response) bool {
	return resp.Body != nil && resp.Body != http.NoBody &&
		req.Method != http.MethodHead && resp.StatusCode != http.StatusSwitchingProtocols
}
