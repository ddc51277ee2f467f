package replay

import (
	"context"
	"net/http"
	"slices"
	"sync/atomic"

	"github.com/headway-go/headway/parse"
	"github.com/headway-go/headway/validate"
)

// ReadRefusal reads the beginning of the body of a response where that may prove that it
// refuses req, or name the policies that were violated; then reading takes the proof in. It
// returns the names of the policies that were violated, nil if the body
// does not say all of them ([parse.ViolatedPolicies]). It reads only what is a problem
// in JSON by its Content-Type or may hold the proof, no more than
// parse.MaxProblemLength bytes, and no longer than 250 ms or until the context of req ends.
// What was read is put back: resp.Body is another one then, that gives the caller every
// byte and the error at the end. All other responses are left alone, at no cost.
func ReadRefusal(req *http.Request, resp *http.Response, reading *validate.Reading) []string {
	isProblem := parse.IsProblem(resp.Header.Get("Content-Type"))
	isShort := resp.ContentLength <= parse.MaxProblemLength // a proof is at the beginning, a problem must be read whole
	isWanted := isProblem && isShort || reading.Unproven
	if !isWanted || !mayPeek(req, resp) {
		return nil
	}
	body := &peekedBody{ahead: ahead{body: resp.Body}}
	resp.Body = body
	text := body.peek(req.Context())
	if !reading.Prove(text) || !isProblem {
		return nil
	}
	return parse.ViolatedPolicies(text)
}

func mayPeek(req *http.Request, resp *http.Response) bool {
	return resp.Header.Get("Content-Encoding") == "" && BodyFollows(req, resp) &&
		// Announced trailers are filled in by the Read that meets the end of the
		// body, in a map that the caller may be looking at by then.
		len(resp.Trailer) == 0
}

// A peekedBody is a response body of which the first part was read ahead.
type peekedBody struct {
	ahead  ahead
	data   []byte      // read, and not yet handed on
	last   read        // how the reading ahead ended; what it read is in data
	closed atomic.Bool // Close may be called during Read
}

// peek reads ahead and returns what has come.
func (b *peekedBody) peek(ctx context.Context) []byte {
	p := newPatience(ctx)
	defer p.stop()
	for len(b.data) < parse.MaxProblemLength {
		b.data = slices.Grow(b.data, 512)
		b.ahead.start(b.data[len(b.data):min(cap(b.data), parse.MaxProblemLength)])
		r, ok := b.ahead.await(p)
		if !ok {
			break
		}
		b.take(r)
		if r.err != nil || len(r.data) == 0 { // an empty Read may go on for ever
			break
		}
	}
	return b.data
}

// take takes in the result of a Read ahead.
func (b *peekedBody) take(r read) {
	b.data = append(b.data, r.data...)
	b.last = r
}

// Read implements [io.Reader]: first what was read ahead comes, then how that
// ended, then the rest.
func (b *peekedBody) Read(p []byte) (int, error) {
	if b.closed.Load() {
		return 0, http.ErrBodyReadAfterClose
	}
	if len(b.data) == 0 && b.ahead.pending != nil {
		b.take(b.ahead.finish())
	}
	if len(b.data) > 0 {
		n := copy(p, b.data)
		b.data = b.data[n:]
		return n, nil
	}
	last := b.last
	b.last = read{}
	switch {
	case last.panicked != nil:
		panic(last.panicked)
	case last.err != nil:
		return 0, last.err
	}
	return b.ahead.body.Read(p)
}

// Close implements [io.Closer]. As with any response body, it may be called
// while Read waits.
func (b *peekedBody) Close() error {
	b.closed.Store(true)
	return b.ahead.body.Close()
}
