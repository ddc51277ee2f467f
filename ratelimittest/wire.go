package ratelimittest

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"
)

// A wire carries one response from the server to its client: what the server
// sends arrives in order, each part one delay after it was sent. It holds any
// amount, so that a server never waits for a client that does not read.
type wire struct {
	delay time.Duration
	news  chan struct{} // of capacity 1: something changed since the client last looked

	mu    sync.Mutex
	parts []part // guarded by mu; sent and not yet received, in order
	left  bool   // guarded by mu; the client takes no more
}

// A part is what a server sends at once: any of a header, a piece of the body,
// and the end.
type part struct {
	arrives time.Time      // zero: at once
	head    *http.Response // also an informational one
	data    []byte
	end     error // nil: more is to come; io.EOF: complete; *handlerPanic: to be raised
	trailer http.Header
}

// send puts p on its way. It fails when the client has left.
func (w *wire) send(p part) error {
	if w.delay > 0 {
		p.arrives = clock().Add(w.delay)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.left {
		return io.ErrClosedPipe
	}
	w.parts = append(w.parts, p)
	w.tell()
	return nil
}

// receive waits for the next part. It fails when the client has left, or with the
// cause of ctx's end.
func (w *wire) receive(ctx context.Context) (part, error) {
	for waited := false; ; {
		if err := context.Cause(ctx); err != nil {
			return part{}, err
		}
		p, wait, err := w.take(waited)
		if err != nil || wait == 0 {
			return p, err
		}
		waited = await(ctx, wait, w.news)
	}
}

// take returns the first part if it has arrived, which is certain once its time has
// been waited for: a clock that has come to its end does not show it. If not, it
// returns the time that it still needs, negative if nothing is on its way.
func (w *wire) take(waited bool) (p part, wait time.Duration, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.left {
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
	w.parts[0] = part{} // for the garbage collector
	w.parts = w.parts[1:]
	return p, 0, nil
}

// leave is the client's last word: what is sent from now on fails. It returns how
// the response ended, if it has and the client does not know it yet.
func (w *wire) leave() (end error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range w.parts {
		end = p.end
	}
	w.left = true
	w.tell()
	return end
}

// tell wakes the client, or keeps it from falling asleep.
func (w *wire) tell() {
	select {
	case w.news <- struct{}{}:
	default:
	}
}
