package headway

import (
	"io"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/parse"
	"github.com/headway-go/headway/validate"
)

// peekTime is how long the body of a response may take to say that it is a refusal, and
// which policies were violated.
const peekTime = 250 * time.Millisecond

// readRefusal reads the beginning of the body of a response where that may prove that it
// refuses req, or name the policies that were violated. It returns the names of the policies that were violated, nil if the body
// does not say all of them ([parse.ViolatedPolicies]). It reads only what is a problem
// in JSON by its Content-Type or may hold the proof, no more than
// parse.MaxProblemLength bytes and no longer than peekTime. What was read is put back:
// resp.Body is another one then, that gives the caller every byte and the error at the
// end. All other responses are left alone, at no cost.
func readRefusal(req *http.Request, resp *http.Response, reading *validate.Reading) []string {
	isProblem := parse.IsProblem(resp.Header.Get("Content-Type"))
	isShort := resp.ContentLength <= parse.MaxProblemLength // a proof is at the beginning, a problem must be read whole
	isWanted := isProblem && isShort || reading.Unproven
	if !isWanted || !mayPeek(req, resp) {
		return nil
	}
	body := &peekedBody{body: resp.Body}
	resp.Body = body
	text := body.peek()
	if !reading.Prove(text) || !isProblem {
		return nil
	}
	return parse.ViolatedPolicies(text)
}

func mayPeek(req *http.Request, resp *http.Response) bool {
	return resp.Header.Get("Content-Encoding") == "" && bodyFollows(req, resp) &&
		// Announced trailers are filled in by the Read that meets the end of the
		// body, in a map that the caller may be looking at by then.
		len(resp.Trailer) == 0
}

// A peekedBody is a response body of which the first part was read ahead. A Read
// cannot be called off, so each Read ahead has a goroutine; the last one may
// outlast the peek, and ends as the Read does: when something comes, or the body is
// closed.
type peekedBody struct {
	body   io.ReadCloser
	closed atomic.Bool // Close may be called during Read

	ahead   []byte         // read, and not yet handed on
	last    readAhead      // how the reading ahead ended; its data is in ahead
	pending chan readAhead // has the result of the Read that is under way; nil: there is none
}

// A readAhead is what one Read of the body came to.
type readAhead struct {
	data     []byte
	err      error
	panicked any
}

// peek reads ahead and returns what has come.
func (b *peekedBody) peek() []byte {
	timeout := make(chan struct{})
	timer := clock.After(peekTime, func() { close(timeout) })
	defer timer.Stop()
	for len(b.ahead) < parse.MaxProblemLength {
		b.start()
		select {
		case r := <-b.pending:
			b.take(r)
			if r.err != nil || len(r.data) == 0 { // an empty Read may go on for ever
				return b.ahead
			}
		case <-timeout:
			return b.ahead
		}
	}
	return b.ahead
}

// start reads on, behind what was read ahead.
func (b *peekedBody) start() {
	b.ahead = slices.Grow(b.ahead, 512)
	room := b.ahead[len(b.ahead):min(cap(b.ahead), parse.MaxProblemLength)]
	pending := make(chan readAhead, 1) // nobody may ever ask for the result
	b.pending = pending
	go func() {
		var r readAhead
		defer func() {
			r.panicked = recover() // for the caller, who may know what to do with it
			pending <- r
		}()
		n, err := b.body.Read(room)
		r.data, r.err = room[:n], err
	}()
}

// take takes in the result of the pending Read.
func (b *peekedBody) take(r readAhead) {
	b.pending = nil
	b.ahead = append(b.ahead, r.data...)
	b.last = r
}

// Read implements [io.Reader]: first what was read ahead comes, then how that
// ended, then the rest.
func (b *peekedBody) Read(p []byte) (int, error) {
	if b.closed.Load() {
		return 0, http.ErrBodyReadAfterClose
	}
	if len(b.ahead) == 0 && b.pending != nil {
		b.take(<-b.pending)
	}
	if len(b.ahead) > 0 {
		n := copy(p, b.ahead)
		b.ahead = b.ahead[n:]
		return n, nil
	}
	last := b.last
	b.last = readAhead{}
	switch {
	case last.panicked != nil:
		panic(last.panicked)
	case last.err != nil:
		return 0, last.err
	}
	return b.body.Read(p)
}

// Close implements [io.Closer]. As with any response body, it may be called
// while Read waits.
func (b *peekedBody) Close() error {
	b.closed.Store(true)
	return b.body.Close()
}
