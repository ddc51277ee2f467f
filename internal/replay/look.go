package replay

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"
)

const lookTime = 250 * time.Millisecond // how long a Look waits for a body

// A Look reads the beginning of a response's body ahead of the caller, who still gets every byte, and the error at the end.
// It reads only as far as its own Read is called: up to a number of bytes, for 250 ms in all, and until the request ends.
// Then Read returns io.ErrUnexpectedEOF. A Look may be used concurrently, and after its End, when it reads nothing.
type Look struct {
	mu     sync.Mutex
	resp   *http.Response
	most   int             // bytes to read
	ctx    context.Context // that of the request; from the first Read on it ends with lookTime
	cancel context.CancelFunc
	data   []byte       // what was read
	rest   bytes.Reader // what of data was not yet returned
	last   *read        // nil: nothing was read
	isLate bool         // last went on when ctx ended
	err    error        // at the end of rest
}

// LookAt returns a Look at up to most bytes of the body of resp, which is the response to req. It reads nothing if a
// trailer is announced: the Read at the end of the body fills in a map that the caller may be reading. It does not read
// either if an earlier Look has waited long enough, as its last Read may set resp.Trailer at any time.
func LookAt(req *http.Request, resp *http.Response, most int) *Look {
	l := &Look{resp: resp, most: most, ctx: req.Context()}
	if b, _ := resp.Body.(lookedAt); b.isLate || len(resp.Trailer) > 0 {
		l.err = io.ErrUnexpectedEOF
	}
	return l
}

// Read implements [io.Reader].
func (l *Look) Read(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.rest.Len() == 0 && l.err == nil {
		l.err = l.readAhead()
	}
	if l.rest.Len() > 0 {
		return l.rest.Read(p)
	}
	return 0, l.err
}

func (l *Look) readAhead() error {
	if len(l.data) == l.most {
		return io.ErrUnexpectedEOF
	}
	if l.last == nil {
		l.ctx, l.cancel = context.WithTimeout(l.ctx, lookTime)
	}
	l.data = slices.Grow(l.data, 512)
	l.last = start(l.resp.Body.Read, l.data[len(l.data):min(cap(l.data), l.most)])
	select {
	case <-l.last.done:
		l.rest, l.last.data = l.last.data, bytes.Reader{}
		l.data = l.data[:len(l.data)+l.rest.Len()]
		return l.last.err
	case <-l.ctx.Done():
		l.isLate = true
		return io.ErrUnexpectedEOF
	}
}

// finish reads all that the Look may read, and ends it. The error is nil if the body has no more.
func (l *Look) finish() error {
	defer l.End()
	_, err := io.Copy(io.Discard, l)
	return err
}

// End ends the Look: the body is the caller's from now on.
func (l *Look) End() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last != nil {
		l.cancel()
		body := l.resp.Body
		l.resp.Body = lookedAt{io.MultiReader(bytes.NewReader(l.data), l.last, body), body, l.isLate}
	}
	l.rest, l.err = bytes.Reader{}, http.ErrBodyReadAfterClose
}

// A lookedAt is the caller's body after a Look: what the Look has read, what its last Read returns, and the rest.
type lookedAt struct {
	io.Reader
	io.Closer
	isLate bool // see Look
}

// A read is one Read of a body, or its Close. It cannot be cancelled, so it has a goroutine, which ends when data arrives
// or the body is closed. Its own method Read waits for it and returns what it has returned.
type read struct {
	done     chan struct{}
	data     bytes.Reader
	err      error
	panicked any
}

// start begins a read into room, which nobody else may use until it is done.
func start(f func([]byte) (int, error), room []byte) *read {
	r := &read{done: make(chan struct{}), err: io.ErrUnexpectedEOF} // the error of a body that panics
	go func() {
		defer close(r.done)
		defer func() { r.panicked = recover() }()
		n, err := f(room)
		r.data.Reset(room[:n])
		r.err = err
	}()
	return r
}

// wait waits for the read, and panics if the body did.
func (r *read) wait() {
	<-r.done
	if r.panicked != nil {
		panic(r.panicked)
	}
}

func (r *read) Read(p []byte) (int, error) {
	r.wait()
	if r.data.Len() > 0 || r.err == nil {
		return r.data.Read(p)
	}
	return 0, r.err
}
