package proxy

import (
	"bytes"
	"errors"
	"io"
	"math"
	"net/http"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// A contentError says that the content of a client's request could not be read.
type contentError struct{ err error }

func (e *contentError) Error() string {
	return "proxy: the content of the request cannot be read: " + e.err.Error()
}
func (e *contentError) Unwrap() error { return e.err }

// A recording is the content of a client's request. Content of a known length that is small enough is kept, and can be read
// several times. All else is passed on as it comes, once. A recording is safe for concurrent use.
type recording struct {
	source  *deadlineReader // the client
	budget  *budget         // of all recordings
	trailer http.Header     // of the request, which net/http fills when the content ends; nil: none

	reader *io.PipeReader // what is passed on
	writer *io.PipeWriter
	begin  sync.Once     // passing on, or that it never begins
	done   chan struct{} // closed when nobody reads from the client any more

	mu      sync.Mutex // guards what follows
	kept    blocks     // all of the content if isWhole, else its beginning
	isAgain bool       // it may be read again
	err     error      // how the content ended; nil: it has not
}

// record reads the content of a request at once if its length is known and small enough. So a client that goes away while
// its request waits is noticed: net/http looks for that only behind the content. The error is a *contentError.
func record(r *http.Request, source *deadlineReader, most int64, b *budget) (*recording, error) {
	rec := &recording{source: source, budget: b, trailer: r.Trailer, done: make(chan struct{})}
	rec.reader, rec.writer = io.Pipe()
	if r.ContentLength >= 0 && r.ContentLength <= most {
		if err := rec.readAll(r.ContentLength); err != nil {
			rec.end()
			return nil, &contentError{err}
		}
	}
	return rec, nil
}

// readAll reads content of that length, as far as the budget allows. It takes from the budget what has come, and not what a
// client has only announced.
func (r *recording) readAll(length int64) error {
	for left := length; left > 0; {
		size := min(left, bufferSize)
		if !r.budget.take(size) {
			return nil
		}
		block := make([]byte, size)
		n, err := io.ReadFull(r.source, block)
		r.kept = append(r.kept, block[:n])
		if err != nil {
			return err
		}
		left -= size
	}
	r.err, r.isAgain = io.EOF, true
	return nil
}

// again makes another reading, as http.Request.GetBody.
func (r *recording) again() (io.ReadCloser, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.isAgain {
		return nil, errors.New("proxy: the content is too long, or of unknown length, to be sent again")
	}
	return io.NopCloser(r.kept.reader()), nil
}

// first makes the first reading.
func (r *recording) first() io.ReadCloser {
	if kept, err := r.again(); err == nil {
		return kept
	}
	return content{r}
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
	if errors.Is(r.err, io.EOF) {
		return nil
	}
	return r.err
}

// settle says that the request is not sent again. What was kept for that is dropped.
func (r *recording) settle() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.isAgain {
		r.drop()
	}
}

// drop drops what is kept.
func (r *recording) drop() {
	r.budget.give(r.kept)
	r.kept, r.isAgain = nil, false
}

// end ends all readings, and waits until nobody reads from the client: net/http, which reads from the connection next, would
// get in the way of a Read, see https://go.dev/issue/68560.
func (r *recording) end() {
	_ = r.reader.Close() // never fails
	r.begin.Do(func() { close(r.done) })
	select {
	case <-r.done:
	default:
		r.source.stop()
		<-r.done
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.drop()
}

// A content passes on what a client sends. It is the Body of a request that is sent.
type content struct{ *recording }

// Read waits for the client, but only until Close: net/http may wait for the end of a Read before it passes on the end of
// a response. So a goroutine reads from the client, which cannot be stopped without losing the connection.
func (c content) Read(p []byte) (int, error) {
	c.begin.Do(func() { go c.pass() })
	return c.reader.Read(p)
}

// Close ends the reading.
func (c content) Close() error { return c.reader.Close() }

// pass passes on what the client sends, until it ends or nobody wants more.
func (r *recording) pass() {
	defer close(r.done)
	r.mu.Lock()
	kept := r.kept
	r.mu.Unlock()
	_, err := io.Copy(r.writer, io.MultiReader(kept.reader(), r.source))
	switch {
	case err == nil:
		removeFields(r.trailer)
		err = io.EOF
	case errors.Is(err, io.ErrClosedPipe):
		return
	default:
		err = &contentError{err}
	}
	r.mu.Lock()
	r.err = err
	r.mu.Unlock()
	_ = r.writer.CloseWithError(err) // never fails
}

// A budget bounds the bytes that all recordings keep.
type budget struct {
	most int64
	kept atomic.Int64
}

// take reports whether n more bytes may be kept.
func (b *budget) take(n int64) bool {
	if b.kept.Add(n) <= b.most {
		return true
	}
	b.kept.Add(-n)
	return false
}

// give gives back what blocks have taken.
func (b *budget) give(all blocks) {
	for _, block := range all {
		b.kept.Add(-int64(cap(block)))
	}
}

// blocks are content in parts, each of which was taken from a budget as a whole. One slice that grows would hold up to twice
// what it counts, and leave as much for the garbage collector.
type blocks [][]byte

func (b blocks) reader() io.Reader {
	if len(b) == 1 { // as mostly; net/http copies it without a buffer of its own
		return bytes.NewReader(b[0])
	}
	readers := make([]io.Reader, len(b))
	for i, block := range b {
		readers[i] = bytes.NewReader(block)
	}
	return io.MultiReader(readers...)
}

// memory is the memory that the proxy may take where GOMEMLIMIT does not say it, in bytes.
const memory = 512 << 20

// limitMemory makes the garbage collector keep to GOMEMLIMIT, or to memory.
func limitMemory() {
	if debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(memory)
	}
}

// mostContent bounds the content of requests that is kept: half of the memory. Beyond it content is not kept, so that such
// requests are not sent again. The other half is for connections, and for what the garbage collector has not found.
func mostContent() int64 { return debug.SetMemoryLimit(-1) / 2 }
