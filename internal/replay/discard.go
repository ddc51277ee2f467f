package replay

import (
	"bytes"
	"io"
	"net/http"
)

const (
	// drainBytes bounds how much of a throttled response's body is read so that its connection can be used again.
	drainBytes = 64 << 10
	// chunk is the size of one Read.
	chunk = 4 << 10
	// maxEmptyReads is how many Reads in a row may return no data, as in package bufio.
	maxEmptyReads = 100
)

// Discard reads and closes the body of a response to req that a resend will replace. It reads at
// most 64 KiB, for at most 250 ms, and until req ends. It does not wait for a longer Read, nor
// for the Close of a body in which a Read is running: both go on in the background.
//
// If keep is true, the data that was read replaces the body, as the caller may have to get the response after all. The
// budget bounds the data. If it is not the whole body, it ends with io.ErrUnexpectedEOF. The caller frees the buffer
// once the response is handed back or dropped. A panic of the body is repeated here.
func (b *Budget) Discard(req *http.Request, resp *http.Response, keep bool) (buffer Buffer) {
	if resp.Body == nil || resp.Body == http.NoBody {
		return buffer
	}
	if keep {
		buffer.budget = b
	}
	returned := false
	defer func() {
		if !returned { // the body panicked
			buffer.Free()
		}
	}()
	whole := buffer.drain(req, resp.Body)
	buffer.trim()
	var rest io.Reader = brokenOff{}
	if whole && !buffer.cut {
		rest = http.NoBody
	}
	resp.Body = io.NopCloser(io.MultiReader(bytes.NewReader(buffer.data), rest))
	returned = true
	return buffer
}

// drain reads and closes the body. It reports whether it read all of it.
func (b *Buffer) drain(req *http.Request, body io.ReadCloser) (whole bool) {
	in := ahead{body: body}
	defer in.close()
	p := newPatience(req)
	defer p.stop()
	room, total, empty := make([]byte, chunk), 0, 0
	for empty < maxEmptyReads {
		in.start(room[:min(chunk, drainBytes+1-total)]) // one byte more, to notice a longer body
		r, ok := in.await(p)
		if !ok {
			return false
		}
		if r.panicked != nil {
			panic(r.panicked)
		}
		b.add(r.data[:min(len(r.data), drainBytes-total)])
		total += len(r.data)
		switch {
		case total > drainBytes:
			return false
		case r.err != nil:
			return r.err == io.EOF //nolint:errorlint // As for io.ReadAll.
		case len(r.data) > 0:
			empty = 0
		default:
			empty++
		}
	}
	return false
}

// brokenOff is the end of a body that was not read completely.
type brokenOff struct{}

func (brokenOff) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
