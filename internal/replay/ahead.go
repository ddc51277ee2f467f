package replay

import (
	"io"
	"net/http"
	"time"

	"github.com/headway-go/headway/internal/clock"
)

// aheadTime bounds the time of all Reads ahead of one body.
const aheadTime = 250 * time.Millisecond

// An ahead reads the beginning of a body before the caller does. A Read cannot be cancelled, so
// each has a goroutine. The last goroutine may outlast the wait for it. It ends when its Read
// returns: when data arrives, or when the body is closed.
type ahead struct {
	body    io.ReadCloser
	pending chan read // gets the result of the running Read; nil: no Read is running
}

// A read is the result of one Read of a body.
type read struct {
	data     []byte
	err      error
	panicked any
}

// start begins a Read into room. The caller must not use room until the Read has ended.
func (a *ahead) start(room []byte) {
	pending := make(chan read, 1) // buffered, as the result may never be received
	a.pending = pending
	go func() {
		var r read
		defer func() {
			r.panicked = recover() // await's caller panics with it
			pending <- r
		}()
		n, err := a.body.Read(room)
		r.data, r.err = room[:n], err
	}()
}

// await returns the result of the running Read. ok is false if patience ended first. The Read then goes on.
func (a *ahead) await(p *patience) (r read, ok bool) {
	select {
	case r = <-a.pending:
		a.pending = nil
		return r, true
	case <-p.timeout:
	case <-p.request.Context().Done():
	case <-p.request.Cancel: //nolint:staticcheck // deprecated, but a RoundTripper still obeys it
	}
	return read{}, false
}

// finish waits for the running Read without a bound.
func (a *ahead) finish() read {
	r := <-a.pending
	a.pending = nil
	return r
}

// close closes the body. It does not wait for Close while a Read is running, as Close may wait
// for that Read. The error does not matter.
func (a *ahead) close() {
	if a.pending == nil {
		_ = a.body.Close()
		return
	}
	go func() {
		defer func() { _ = recover() }() // no caller is left to get the panic
		_ = a.body.Close()
	}()
}

// patience bounds the wait for a body: to aheadTime, or until the request ends.
type patience struct {
	timer   *time.Timer
	timeout chan struct{}
	request *http.Request
}

// newPatience returns a patience with the response to req that begins now. The caller must stop it.
func newPatience(req *http.Request) *patience {
	p := &patience{timeout: make(chan struct{}), request: req}
	p.timer = clock.After(aheadTime, func() { close(p.timeout) })
	return p
}

func (p *patience) stop() { p.timer.Stop() }
