package replay

import (
	"bytes"
	"context"
	"io"
	"net/http"
)

const (
	// drainBytes is how much of a throttled response's body is read, so that
	// its connection can be used again.
	drainBytes = 64 << 10
	// chunk is how much one Read is asked for.
	chunk = 4 << 10
	// maxEmptyReads is how many Reads in a row may bring nothing, as in package bufio.
	maxEmptyReads = 100
)

// Discard reads the body of a response that a resend is to replace, as far as it comes
// within 250 ms, up to 64 KiB and until the context ends, and closes it. It never waits for
// a Read that takes longer, nor for the Close of a body in which one is under way: each
// may go on by itself.
//
// If keep is true, what was read takes the body's place, as far as there is room in the
// budget, for the case that the response has to be handed back after all. If that is not
// the whole body, it ends in io.ErrUnexpectedEOF. Kept is to be freed once the
// response is handed back or dropped. What panics in the body panics here.
func (b *Budget) Discard(ctx context.Context, resp *http.Response, keep bool) (kept Kept) {
	if resp.Body == nil || resp.Body == http.NoBody {
		return kept
	}
	if keep {
		kept.budget = b
	}
	returned := false
	defer func() {
		if !returned { // something panicked
			kept.Free()
		}
	}()
	whole := kept.drain(ctx, resp.Body)
	kept.trim()
	var rest io.Reader = brokenOff{}
	if whole && !kept.cut {
		rest = http.NoBody
	}
	resp.Body = io.NopCloser(io.MultiReader(bytes.NewReader(kept.data), rest))
	returned = true
	return kept
}

// drain reads the body, closes it, and reports whether that was all of it.
func (k *Kept) drain(ctx context.Context, body io.ReadCloser) (whole bool) {
	in := ahead{body: body}
	defer in.close()
	p := newPatience(ctx)
	defer p.stop()
	room, total, empty := make([]byte, chunk), 0, 0
	for empty < maxEmptyReads {
		in.start(room[:min(chunk, drainBytes+1-total)]) // one more, to see that there is more
		r, ok := in.await(p)
		if !ok {
			return false
		}
		if r.panicked != nil {
			panic(r.panicked)
		}
		k.add(r.data[:min(len(r.data), drainBytes-total)])
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

// brokenOff stands for the part of a body that was not read.
type brokenOff struct{}

func (brokenOff) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
