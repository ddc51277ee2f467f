package proxy

import (
	"errors"
	"io"
	"net/http"
	"sync"
)

// A contentError says that the content of a client's request could not be read.
type contentError struct{ err error }

func (e *contentError) Error() string {
	return "proxy: the content of the request cannot be read: " + e.err.Error()
}
func (e *contentError) Unwrap() error { return e.err }

var (
	errSuperseded = errors.New("proxy: the content is read again from its beginning")
	errClosed     = errors.New("proxy: the content is closed")
	errTooLong    = errors.New("proxy: the content is too long to be sent again")
)

// A recording is the content of a client's request. It can be read several times, one reading after the other, as long as
// it is not longer than allowed: it keeps what it has read from the client. Content that turns out to be longer is passed
// on as it comes, and only the first reading gets it.
//
// A reading ends when a later one begins to read, not when that is made. The headway.Transport makes it before it knows
// whether the request is sent again. If it is not, net/http may still send the content while the response comes.
//
// A recording is safe for concurrent use, since http.Transport may still read a first time when the response is there and
// the request is sent again.
type recording struct {
	source  *deadlineReader // the client
	most    int64           // bytes to keep
	trailer http.Header     // of the request, which net/http fills when the content ends; nil: none

	mu        sync.Mutex    // guards what follows
	kept                    // what was read from the client
	fresh     []byte        // what was read last and is not kept; the first reading has not got it yet
	passed    bool          // more was read than is kept
	settled   bool          // the request is not sent again
	err       error         // how the content ended; nil: it has not
	made      int           // readings
	current   *content      // the latest reading that has begun
	isReading bool          // a goroutine reads from the client
	progress  chan struct{} // closed and made anew when readings may go on
}

// A content is one reading of a recording. It is the Body of a request that is sent.
type content struct {
	*recording

	number   int  // from 1
	offset   int  // in what is kept
	isClosed bool // by net/http, which wants no more of it
}

// record reads the content of a request at once if its length is known and small enough. So a client that goes away while
// its request waits is noticed: net/http looks for that only behind the content. The error is a *contentError.
func record(r *http.Request, source *deadlineReader, most int64, b *budget) (*recording, error) {
	rec := &recording{source: source, most: most, kept: kept{budget: b}, trailer: r.Trailer, progress: make(chan struct{})}
	length := r.ContentLength
	switch {
	case length > most:
		rec.passed = true
	case length >= 0:
		if err := rec.readAll(length); err != nil {
			rec.end()
			return nil, &contentError{err}
		}
	}
	return rec, nil
}

// readAll reads content of that length, as far as the budget allows. It takes from the budget what has come, and not what a
// client has only announced.
func (r *recording) readAll(length int64) error {
	for int64(r.length) < length {
		size := int(min(length-int64(r.length), bufferSize))
		if !r.budget.take(size) {
			r.passed = true
			return nil
		}
		r.grow(size)
		n, err := io.ReadFull(r.source, r.free())
		r.extend(n)
		if err != nil {
			return err
		}
	}
	r.err = io.EOF
	return nil
}

// again makes another reading, as http.Request.GetBody. Trailers come with the end of the content and are in the request
// itself, so until then a request with trailers is not sent again.
func (r *recording) again() (io.ReadCloser, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.passed || r.trailer != nil && r.err == nil {
		return nil, errTooLong
	}
	return r.reading(), nil
}

// first makes the first reading.
func (r *recording) first() io.ReadCloser {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.reading()
}

func (r *recording) reading() *content {
	r.made++
	return &content{recording: r, number: r.made}
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
	r.settled = true
	if r.isReadToItsEnd() {
		r.pass()
	}
	r.wake()
}

// end ends all readings, and waits until nobody reads from the client: net/http, which reads from the connection next, would
// get in the way of a Read, see https://go.dev/issue/68560.
func (r *recording) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.settled, r.current, r.fresh = true, &content{number: r.made + 1}, nil
	r.pass()
	r.wake()
	if r.isReading {
		r.source.stop()
	}
	for r.isReading {
		progress := r.progress
		r.mu.Unlock()
		<-progress
		r.mu.Lock()
	}
}

// pass keeps nothing from now on.
func (r *recording) pass() {
	r.drop()
	r.passed = true
}

func (r *recording) wake() {
	close(r.progress)
	r.progress = make(chan struct{})
}

// isReadToItsEnd reports whether the latest reading has begun and got all that is kept.
func (r *recording) isReadToItsEnd() bool {
	return r.current != nil && r.current.offset == r.length && (r.settled || r.current.number == r.made)
}

// Read waits for the client, but only until Close: net/http may wait for the end of a Read before it passes on the end of
// a response. So a goroutine reads from the client, which cannot be stopped without losing the connection.
func (c *content) Read(p []byte) (int, error) {
	for {
		n, progress, err := c.next(p)
		if progress == nil {
			return n, err
		}
		<-progress
	}
}

// next reads what is there, or returns how the reading ended. Else it has the client read, and returns a channel that is
// closed when there may be more.
func (c *content) next(p []byte) (n int, progress <-chan struct{}, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.begin(); err != nil {
		return 0, nil, err
	}
	switch {
	case c.offset < c.length:
		n = c.copy(p, c.offset)
		c.offset += n
		return n, nil, nil
	case len(c.fresh) > 0:
		n = copy(p, c.fresh)
		c.fresh = c.fresh[n:]
		return n, nil, nil
	case c.err != nil || len(p) == 0:
		return 0, nil, c.err
	case !c.isReading && !c.mustWait():
		c.isReading = true
		go c.advance()
	}
	return 0, c.progress, nil
}

// mustWait reports whether as much is kept as may be, for a later reading that has not begun. Then this reading goes on only
// if the request is not sent again.
func (c *content) mustWait() bool {
	return c.number < c.made && !c.settled && !c.passed && (int64(c.length) >= c.most || c.budget.left.Load() <= 0)
}

// begin makes the reading the current one, or returns why it cannot go on.
func (c *content) begin() error {
	switch {
	case c.isClosed:
		return errClosed
	case c.current == c:
		return nil
	case c.current != nil && c.current.number > c.number:
		return errSuperseded
	case c.passed && c.number > 1:
		return errTooLong
	}
	c.current = c
	c.wake()
	return nil
}

// Close ends this reading.
func (c *content) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.isClosed {
		c.isClosed = true
		c.wake()
	}
	return nil
}

// advance reads from the client once.
func (r *recording) advance() {
	p := make([]byte, bufferSize)
	n, err := r.source.Read(p)
	switch {
	case errors.Is(err, io.EOF):
		removeFields(r.trailer)
	case err != nil:
		err = &contentError{err}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	isTooLong := int64(r.length+n) > r.most || r.budget.left.Load() < int64(n)
	if isTooLong && !r.passed && r.isReadToItsEnd() {
		r.pass()
	}
	if r.passed {
		r.fresh = p[:n]
	} else { // for a later reading also if it is too long, once: see mustWait
		r.add(p[:n])
	}
	r.err, r.isReading = err, false
	r.wake()
}
