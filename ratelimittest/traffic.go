package ratelimittest

import (
	"io"
	"sync"
	"testing/synctest"
)

// A traffic counts the operations in progress between clients and their server: requests, reads of responses,
// and handlers. A client may leave without waiting for them, but none may outlive the bubble.
type traffic struct {
	mu     sync.Mutex
	active int           // guarded by mu; operations in progress
	idle   chan struct{} // guarded by mu; closed when active falls to 0; nil: nobody waits
}

// begin counts an operation, until the returned function is called.
func (t *traffic) begin() (end func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.active++
	return t.end
}

func (t *traffic) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.active--; t.active == 0 && t.idle != nil {
		close(t.idle)
		t.idle = nil
	}
}

// drain waits until no operation is in progress, and no goroutine of the bubble is about to begin one.
func (t *traffic) drain() {
	for synctest.Wait(); t.wait(); synctest.Wait() {
	}
}

// wait waits until no operation is in progress. It returns whether there was one.
func (t *traffic) wait() bool {
	t.mu.Lock()
	if t.active == 0 {
		t.mu.Unlock()
		return false
	}
	if t.idle == nil {
		t.idle = make(chan struct{})
	}
	idle := t.idle
	t.mu.Unlock()
	<-idle
	return true
}

// A countedBody counts its reads as traffic.
type countedBody struct {
	io.ReadCloser
	traffic *traffic
}

func (r *countedBody) Read(p []byte) (int, error) {
	defer r.traffic.begin()()
	return r.ReadCloser.Read(p)
}
