package proxy

import (
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
)

// A contentError says that the content of a client's request could not be read.
type contentError struct{ err error }

func (e *contentError) Error() string {
	return "proxy: the content of the request cannot be read: " + e.err.Error()
}
func (e *contentError) Unwrap() error { return e.err }

var (
	errSuperseded = errors.New("proxy: the content is read again from its beginning")
	errNotKept    = errors.New("proxy: the content is too long to be sent again")
)

// A budget bounds the bytes that all recordings keep.
type budget struct{ left atomic.Int64 }

func newBudget(bytes int64) *budget {
	b := &budget{}
	b.left.Store(bytes)
	return b
}

// take reports whether n more bytes may be kept.
func (b *budget) take(n int64) bool {
	if b.left.Add(-n) >= 0 {
		return true
	}
	b.left.Add(n)
	return false
}

func (b *budget) give(n int64) { b.left.Add(n) }

// A recording is the content of a client's request. It can be read several times, one reading after the other, as long as
// it is not longer than allowed: it keeps what it has read from the client. Content that turns out to be longer is passed
// on as it comes, and only the first reading gets it.
//
// A recording is safe for concurrent use, since http.Transport may still read a first time when the response is there and
// the request is sent again.
type recording struct {
	source io.Reader // the client
	most   int64     // bytes to keep
	budget *budget   // of all recordings

	turn chan struct{} // has room for whoever reads source, which may take as long as the client likes

	mu      sync.Mutex // guards what follows
	kept    []byte     // what was read from the client
	passed  bool       // more was read than is kept
	err     error      // how the content ended; nil: it has not
	current *content   // the latest reading
}

// A content is one reading of a recording. It is the Body of a request that is sent.
type content struct {
	*recording

	offset int // in kept
}

// record reads the content of a request at once if its length is known and small enough. So a client that goes away while
// its request waits is noticed: net/http looks for that only behind the content. The error is a *contentError.
func record(r *http.Request, source io.Reader, most int64, b *budget) (*recording, error) {
	rec := &recording{source: source, most: most, budget: b, turn: make(chan struct{}, 1)}
	length := r.ContentLength
	switch {
	case length > most || length >= 0 && !b.take(length):
		rec.passed = true
	case length >= 0:
		rec.kept = make([]byte, length)
		if n, err := io.ReadFull(source, rec.kept); err != nil {
			rec.kept = rec.kept[:n]
			b.give(length - int64(n))
			rec.end()
			return nil, &contentError{err}
		}
		rec.err = io.EOF
	}
	return rec, nil
}

// again begins another reading, as http.Request.GetBody. An earlier reading ends: its Read returns an error.
func (r *recording) again() (io.ReadCloser, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.passed {
		return nil, errNotKept
	}
	r.current = &content{recording: r}
	return r.current, nil
}

// first begins the first reading.
func (r *recording) first() io.ReadCloser {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.current = &content{recording: r}
	return r.current
}

// isWhole reports whether the client has sent all of the content.
func (r *recording) isWhole() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err != nil
}

// failure returns why the client's content could not be read; nil if it could.
func (r *recording) failure() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil || errors.Is(r.err, io.EOF) {
		return nil
	}
	return r.err
}

// settle says that the request is not sent again. What was read to its end is dropped.
func (r *recording) settle() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.current == nil || r.current.offset == len(r.kept) {
		r.drop()
	}
}

// end ends all readings. A Read that waits for the client goes on, but nobody gets what it reads.
func (r *recording) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.current = nil
	r.drop()
}

// drop keeps nothing from now on.
func (r *recording) drop() {
	r.budget.give(int64(len(r.kept)))
	r.kept, r.passed = nil, true
}

func (c *content) Read(p []byte) (int, error) {
	for {
		if n, isKnown, err := c.replay(p); isKnown {
			return n, err
		}
		c.turn <- struct{}{}
		n, isRead, err := c.advance(p)
		<-c.turn
		if isRead {
			return n, err
		}
	}
}

// replay reads what is kept, or returns how the reading ended. isKnown is false if the client has to be read.
func (c *content) replay(p []byte) (n int, isKnown bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.current != c:
		return 0, true, errSuperseded
	case c.offset < len(c.kept):
		n = copy(p, c.kept[c.offset:])
		c.offset += n
		return n, true, nil
	}
	return 0, c.err != nil || len(p) == 0, c.err
}

// advance reads from the client. isRead is false if another reading has done so meanwhile.
func (c *content) advance(p []byte) (n int, isRead bool, err error) {
	if !c.needsClient() {
		return 0, false, nil
	}
	n, err = c.source.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = &contentError{err}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = err
	isCurrent := c.current == c
	switch isTooLong := int64(len(c.kept)+n) > c.most || c.budget.left.Load() < int64(n); {
	case c.passed:
	case isTooLong && isCurrent:
		c.drop()
	default: // also for another reading that has begun meanwhile, however long: by one Read at most
		c.kept = append(c.kept, p[:n]...)
		c.budget.left.Add(-int64(n))
		c.offset += n
	}
	if !isCurrent {
		return 0, true, errSuperseded
	}
	return n, true, err
}

// needsClient reports whether the reading has come to the end of what is kept.
func (c *content) needsClient() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.current == c && c.err == nil && c.offset >= len(c.kept)
}

// Close ends this reading.
func (c *content) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.current == c && c.passed {
		c.current = nil
	}
	return nil
}
