package headway

import (
	"context"
	"math"
	"net/http"
	"strconv"
)

// Refusal is how a Transport refuses a request that may not wait as long as it
// would have to. Any other value than the two below is RefuseWithError.
type Refusal int

const (
	// RefuseWithError has RoundTrip return a *LimitError. It is the default.
	RefuseWithError Refusal = iota

	// RefuseWithResponse has RoundTrip return a response made by the Transport,
	// for callers that know what to do with a 429 and not with an error: status
	// 429, no body, the wait in Retry-After (in seconds, rounded up; absent where
	// LimitError.RetryAt is zero), and X-Should-Retry: false, which tells SDKs that
	// retry by themselves to leave it. Refused recognises it.
	RefuseWithResponse
)

// refusalKey is the context key of a *refusal.
type refusalKey struct{}

// A refusal marks a response that a Transport made. It travels in the context
// of the response's Request: out of reach for a server, and left alone by
// layers that wrap the Body.
type refusal struct {
	request *http.Request // the one whose context this is, no other made from it
	err     *LimitError
}

// Refused reports whether resp is a Transport's own refusal
// ([RefuseWithResponse]), and what it stands for. A server's 429 is not one,
// whatever it looks like. resp may be nil.
func Refused(resp *http.Response) (*LimitError, bool) {
	if resp == nil || resp.Request == nil {
		return nil, false
	}
	r, ok := resp.Request.Context().Value(refusalKey{}).(*refusal)
	if !ok || r.request != resp.Request {
		return nil, false
	}
	return r.err, true
}

// refuse returns what RoundTrip returns for a request that it does not send.
func (t *Transport) refuse(req *http.Request, err *LimitError) (*http.Response, error) {
	if t.Refusal != RefuseWithResponse {
		return nil, err
	}
	mark := &refusal{err: err}
	mark.request = req.WithContext(context.WithValue(req.Context(), refusalKey{}, mark))
	header := http.Header{"Content-Length": {"0"}, "X-Should-Retry": {"false"}}
	if !err.RetryAt.IsZero() {
		seconds := max(1, int64(math.Ceil(err.Wait.Seconds())))
		header["Retry-After"] = []string{strconv.FormatInt(seconds, 10)}
	}
	return &http.Response{
		Status:     "429 " + http.StatusText(http.StatusTooManyRequests),
		StatusCode: http.StatusTooManyRequests,
		Proto:      "HTTP/1.1",
		ProtoMajor: 1,
		ProtoMinor: 1,
		Header:     header,
		Body:       http.NoBody,
		Request:    mark.request,
	}, nil
}

func closeBody(req *http.Request) {
	if req.Body != nil {
		_ = req.Body.Close() // RoundTrip has something else to report
	}
}
