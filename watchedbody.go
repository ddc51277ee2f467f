package headway

import (
	"io"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/headway-go/headway/internal/schedule"
)

// A watchedBody reports the end of a response body: when it has been read, has failed or is closed, whichever comes first.
// The end matters under a limit on concurrent requests, where bytes count, and if the response may have a trailer.
type watchedBody struct {
	io.ReadCloser
	end    schedule.End // zero: the end itself matters to no limit
	tail   *tail        // nil: there can be no trailer
	length atomic.Int64 // bytes read so far
	once   sync.Once
}

// watch returns the body of a response in a watchedBody.
func (c *call) watch(resp *http.Response) (body *watchedBody) {
	if c.visit.ReadsTrailer() {
		body = c.watchTrailer(resp)
	} else {
		body = new(watchedBody)
	}
	body.ReadCloser = resp.Body
	if c.visit.IsOpen() {
		body.end = c.visit.End()
	}
	return body
}

func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.length.Add(int64(max(n, 0)))
	switch {
	case err == io.EOF && b.tail != nil:
		b.once.Do(b.complete)
	case err != nil:
		b.once.Do(b.done)
	}
	return n, err
}

func (b *watchedBody) Close() error {
	defer b.once.Do(b.done)
	return b.ReadCloser.Close()
}

// complete reports the end of a body that was read completely, so that the trailer is there. What it says is known before
// the next request gets this one's place.
func (b *watchedBody) complete() {
	defer b.done() // also if a hook panics
	b.tail.read()
}

func (b *watchedBody) done() { b.end.Done(b.length.Load()) }
