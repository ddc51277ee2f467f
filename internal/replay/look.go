package replay

import (
	"io"
	"net/http"
	"sync"
)

// MaxLook is how many bytes of a body a Look reads at most.
const MaxLook = 1 << 20

// A Look is the beginning of a response's body, for a function that reads it before the caller does. It reads only as
// far as the function does: at most MaxLook bytes, for at most 250 ms in all, and until the request ends. Then Read
// returns io.ErrUnexpectedEOF. The caller still gets every byte, and the error at the end. Close does nothing.
//
// A Look may be used concurrently, and after its End, when it reads nothing.
type Look struct {
	mu       sync.Mutex
	req      *http.Request
	resp     *http.Response
	body     *peekedBody // in place of the body of resp; nil until something is read
	patience *patience
	offset   int // bytes that were read
	err      error
}

// LookAt returns a Look at the body of resp, which is the response to req. It returns http.NoBody if no
// body follows. It does not change resp before the first Read.
func LookAt(req *http.Request, resp *http.Response) (body io.ReadCloser, l *Look) {
	if !BodyFollows(req, resp) {
		return http.NoBody, nil
	}
	l = &Look{req: req, resp: resp}
	if len(resp.Trailer) > 0 {
		l.err = io.ErrUnexpectedEOF // see mayPeek
	}
	return l, l
}

// Read implements [io.Reader].
func (l *Look) Read(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil && len(p) > 0 && (l.body == nil || l.offset == len(l.body.data)) {
		l.begin()
		l.err = l.body.readAhead(l.patience, MaxLook)
	}
	if l.body == nil || l.offset == len(l.body.data) {
		return 0, l.err
	}
	n := copy(p, l.body.data[l.offset:])
	l.offset += n
	return n, nil
}

// begin replaces the body of the response before the first Read.
func (l *Look) begin() {
	if l.body == nil {
		l.body = &peekedBody{ahead: ahead{body: l.resp.Body}}
		l.resp.Body = l.body
		l.patience = newPatience(l.req)
	}
}

// Close implements [io.Closer]. The body is the caller's to close.
func (*Look) Close() error { return nil }

// End ends the Look: the body is the caller's from now on. l may be nil.
func (l *Look) End() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.patience != nil {
		l.patience.stop()
	}
	l.body, l.err = nil, http.ErrBodyReadAfterClose
}
