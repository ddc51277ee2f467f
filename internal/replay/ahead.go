package replay

import (
	"context"
	"io"
	"time"

	"github.com/headway-go/headway/internal/clock"
)

// aheadTime is how long reading ahead may take, all Reads together.
const aheadTime = 250 * time.Millisecond

// An ahead reads a body ahead. A Read cannot be called off, so each has a goroutine; the
// last one may outlast who waits for it, and ends as the Read does: when something
// comes, or the body is closed, if that wakes it.
type ahead struct {
	body    io.ReadCloser
	pending chan read // has the result of the Read that is under way; nil: there is none
}

// A read is what one Read of a body came to.
type read struct {
	data     []byte
	err      error
	panicked any
}

// start begins a Read into room, which is not to be used until it is over.
func (a *ahead) start(room []byte) {
	pending := make(chan read, 1) // nobody may ever ask for the result
	a.pending = pending
	go func() {
		var r read
		defer func() {
			r.panicked = recover() // for the caller, who may know what to do with it
			pending <- r
		}()
		n, err := a.body.Read(room)
		r.data, r.err = room[:n], err
	}()
}

// await returns the result of the Read that is under way. ok is false if patience ended
// first; then the Read goes on.
func (a *ahead) await(p *patience) (r read, ok bool) {
	select {
	case r = <-a.pending:
		a.pending = nil
		return r, true
	case <-p.timeout:
	case <-p.done:
	}
	return read{}, false
}

// finish waits for the Read that is under way as long as it takes.
func (a *ahead) finish() read {
	r := <-a.pending
	a.pending = nil
	return r
}

// close closes the body, and waits for that unless a Read is under way, which may be what
// it waits for in turn. Nothing depends on what comes of it.
func (a *ahead) close() {
	if a.pending == nil {
		_ = a.body.Close()
		return
	}
	go func() {
		defer func() { _ = recover() }() // there is nobody left to tell
		_ = a.body.Close()
	}()
}

// patience is how long somebody waits for a body: for aheadTime, or until a context ends.
type patience struct {
	timer   *time.Timer
	timeout chan struct{}
	done    <-chan struct{}
}

// newPatience returns the patience that begins now. It is to be stopped.
func newPatience(ctx context.Context) *patience {
	p := &patience{timeout: make(chan struct{}), done: ctx.Done()}
	p.timer = clock.After(aheadTime, func() { close(p.timeout) })
	return p
}

func (p *patience) stop() { p.timer.Stop() }
