package memhttp

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"
)

// A wire carries one response from the server to the client. Parts arrive in order, each one delay after it
// was sent. The wire has no bound, so a server never waits for a client that does not read.
type wire struct {
	delay   time.Duration
	changed chan struct{} // has capacity 1; signals a change since the client last looked

	mu         sync.Mutex
	parts      []part // guarded by mu; sent and not received yet, in order
	clientLeft bool   // guarded by mu; the client accepts no more
}

// A part is what a server sends at one time: a header, a piece of the body, the end, or several of them.
type part struct {
	arrives time.Time // zero: at once
	head    *http.Response
	data    []byte
	end     error // nil: more follows; io.EOF: complete
	trailer http.Header
}

// send sends p. It fails if the client has left.
func (w *wire) send(p part) error {
	if w.delay > 0 {
		p.arrives = clock().Add(w.delay)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.clientLeft {
		return io.ErrClosedPipe
	}
	w.parts = append(w.parts, p)
	w.notify()
	return nil
}

// receive waits for the next part. It fails if the client has left, or with the cause of ctx's end.
func (w *wire) receive(ctx context.Context) (part, error) {
	for waited := false; ; {
		if err := context.Cause(ctx); err != nil {
			return part{}, err
		}
		p, wait, err := w.take(waited)
		if err != nil || wait == 0 {
			return p, err
		}
		waited = await(ctx, wait, w.changed)
	}
}

// take returns the first part if it has arrived. If not, it returns the remaining time, which is negative if
// no part is in transit. waited says that the caller has waited for that time, so that the part has arrived.
// The clock may not show this if it has reached its end in 2262.
func (w *wire) take(waited bool) (p part, wait time.Duration, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.clientLeft {
		return part{}, 0, http.ErrBodyReadAfterClose
	}
	if len(w.parts) == 0 {
		return part{}, -1, nil
	}
	p = w.parts[0]
	if w.delay > 0 && !waited {
		if wait := p.arrives.Sub(clock()); wait > 0 {
			return part{}, wait, nil
		}
	}
	w.parts[0] = part{} // let the garbage collector have its data
	w.parts = w.parts[1:]
	return p, 0, nil
}

// leave ends the wire from the client's side: later sends fail.
func (w *wire) leave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.clientLeft = true
	w.notify()
}

// notify wakes the client, or keeps it from going to sleep.
func (w *wire) notify() {
	select {
	case w.changed <- struct{}{}:
	default:
	}
}
