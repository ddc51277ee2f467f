package ratelimittest

import (
	"io"
	"sync"
	"testing/synctest"
)

// A traffic is what is under way between clients and their server: requests that wait
// for a response, reads that wait for more of one, and handlers. A client may have gone
// on without them, and yet they must not outlive the bubble.
type traffic struct {
	mu    sync.Mutex
	under int           // way; guarded by mu
	rests chan struct{} // guarded by mu; closed when nothing is; nil: nobody waits
}

// begin counts what is under way, until the function that it returns is called.
func (t *traffic) begin() (end func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.under++
	return t.end
}

func (t *traffic) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.under--; t.under == 0 && t.rests != nil {
		close(t.rests)
		t.rests = nil
	}
}

// drain waits until nothing is under way and nobody is about to send or read more.
func (t *traffic) drain() {
	for synctest.Wait(); t.wait(); synctest.Wait() {
	}
}

// wait waits until nothing is under way, and returns whether anything was.
func (t *traffic) wait() bool {
	t.mu.Lock()
	if t.under == 0 {
		t.mu.Unlock()
		return false
	}
	if t.rests == nil {
		t.rests = make(chan struct{})
	}
	rests := t.rests
	t.mu.Unlock()
	<-rests
	return true
}

// A reading is a response's body whose reads are under way.
type reading struct {
	io.ReadCloser
	traffic *traffic
}

func (r *reading) Read(p []byte) (int, error) {
	defer r.traffic.begin()()
	return r.ReadCloser.Read(p)
}
