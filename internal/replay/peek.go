package replay

import (
	"io"
	"net/http"
	"slices"
	"sync/atomic"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/parse"
	"github.com/headway-go/headway/validate"
)

// ReadRefusal reads the beginning of a response's body, if it may prove that the response refuses req or may name the
// violated policies. It adds the proof to reading and returns the violated policies by their [limits.ShortName]. It
// returns nil if the body does not contain all of them; see [parse.ViolatedPolicies].
//
// ReadRefusal reads bodies whose Content-Type is problem+json, and those that may hold the proof. It reads at most
// parse.MaxProblemLength bytes, for at most 250 ms, and until req ends. It then replaces resp.Body, so that the caller
// still gets every byte and the error at the end. It leaves all other responses alone, at no cost.
func ReadRefusal(req *http.Request, resp *http.Response, reading *validate.Reading) []string {
	isProblem := parse.IsProblem(resp.Header.Get("Content-Type"))
	isShort := resp.ContentLength <= parse.MaxProblemLength // a problem must be read completely, a proof is at the beginning
	isWanted := isProblem && isShort || reading.Unproven
	if !isWanted || isReading(resp.Body) || !mayPeek(req, resp) {
		return nil
	}
	body := &peekedBody{ahead: ahead{body: resp.Body}}
	resp.Body = body
	text := body.peek(req)
	if !reading.Prove(text) || !isProblem {
		return nil
	}
	violated := parse.ViolatedPolicies(text)
	for i, name := range violated {
		violated[i] = limits.ShortName(name)
	}
	return violated
}

// isReading reports whether a Look at the body has ended while a Read was running. It has waited long enough, and that Read
// may set resp.Trailer at any time.
func isReading(body io.ReadCloser) bool {
	b, ok := body.(*peekedBody)
	return ok && b.ahead.pending != nil
}

func mayPeek(req *http.Request, resp *http.Response) bool {
	return resp.Header.Get("Content-Encoding") == "" && BodyFollows(req, resp) &&
		// The Read at the end of the body fills in announced trailers, in a map
		// that the caller may be reading at the same time.
		len(resp.Trailer) == 0
}

// A peekedBody is a response body whose beginning was read ahead.
type peekedBody struct {
	ahead  ahead
	data   []byte      // read ahead, and not yet given to the caller
	last   read        // the error or panic at which the reading ahead ended
	closed atomic.Bool // Close may be called during Read
}

// peek reads ahead and returns the data.
func (b *peekedBody) peek(req *http.Request) []byte {
	p := newPatience(req)
	defer p.stop()
	for b.readAhead(p, parse.MaxProblemLength) == nil {
	}
	return b.data
}

// readAhead reads ahead once, up to most bytes in all. It returns why no more can be read.
func (b *peekedBody) readAhead(p *patience, most int) error {
	if len(b.data) >= most {
		return io.ErrUnexpectedEOF
	}
	b.data = slices.Grow(b.data, 512)
	b.ahead.start(b.data[len(b.data):min(cap(b.data), most)])
	r, ok := b.ahead.await(p)
	if !ok {
		return io.ErrUnexpectedEOF
	}
	b.take(r)
	switch {
	case r.err != nil:
		return r.err
	case r.panicked != nil:
		return io.ErrUnexpectedEOF // the caller's Read panics
	case len(r.data) == 0:
		return io.ErrNoProgress // empty Reads might go on for ever
	}
	return nil
}

// take adds the result of a Read ahead.
func (b *peekedBody) take(r read) {
	b.data = append(b.data, r.data...)
	b.last = r
}

// Read implements [io.Reader]. It returns the data that was read ahead, then the error at which
// the reading ahead ended, if any, then the rest of the body.
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

// Close implements [io.Closer]. It may be called while Read waits, as with any response body.
func (b *peekedBody) Close() error {
	b.closed.Store(true)
	return b.ahead.body.Close()
}
