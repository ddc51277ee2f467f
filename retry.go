package headway

import (
	"bytes"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/headway-go/headway/internal/clock"
)

const (
	// drainBytes is how much of a throttled response's body is read, so that
	// its connection can be used again; drainTime is how long that may take.
	drainBytes = 64 << 10
	drainTime  = 250 * time.Millisecond
)

// replay returns the request to send in place of req, which was sent and
// throttled with that status: with a new Body if it has one. It is nil if req
// must not or cannot be sent again. req is not written to.
func replay(req *http.Request, status int) *http.Request {
	if isOverload(status) && !idempotent(req) {
		return nil
	}
	if req.Body == nil || req.Body == http.NoBody {
		return req
	}
	if req.GetBody == nil {
		return nil
	}
	body, err := req.GetBody()
	if err != nil || body == nil {
		return nil
	}
	again := req.WithContext(req.Context()) // a shallow copy
	again.Body = body
	return again
}

// isOverload reports whether a refusal of that status may come after the work was done: a
// 503 or 529 does, a 429 does not.
func isOverload(status int) bool { return status >= http.StatusInternalServerError }

// idempotent reports whether it does no harm to process a request twice (RFC
// 9110 §9.2.2). The fields count as in net/http: with any value.
func idempotent(req *http.Request) bool {
	switch req.Method {
	case "", http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace, http.MethodPut, http.MethodDelete:
		return true
	}
	_, key := req.Header["Idempotency-Key"]
	_, xKey := req.Header["X-Idempotency-Key"]
	return key || xKey
}

// discard reads a bounded part of the response's body, closes it, and leaves
// the part that was read in its place, for the case that the response has to be
// handed back after all.
func discard(resp *http.Response) {
	if resp.Body == nil {
		return
	}
	body := resp.Body
	closeOnce := sync.OnceFunc(func() { _ = body.Close() }) // nothing depends on it
	timer := clock.After(drainTime, closeOnce)
	read, err := io.ReadAll(io.LimitReader(body, drainBytes+1))
	timer.Stop()
	closeOnce()
	if err != nil || len(read) > drainBytes {
		read = read[:min(len(read), drainBytes)]
		resp.Body = io.NopCloser(io.MultiReader(bytes.NewReader(read), brokenOff{}))
		return
	}
	resp.Body = io.NopCloser(bytes.NewReader(read))
}

// brokenOff stands for the part of a body that was not read.
type brokenOff struct{}

func (brokenOff) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
