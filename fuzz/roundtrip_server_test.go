package fuzz

import (
	"errors"
	"io"
	"math"
	"net/http"
	"strings"
	"sync"
	"time"
)

const payload = "payload"

var (
	errServer = errors.New("the server went away")
	errClosed = errors.New("read after close")
)

// A hostileServer is a Base whose responses follow the plan of the request.
type hostileServer struct {
	headers []http.Header
}

// A baseCall is one call of Base.
type baseCall struct {
	began, ended time.Time
	req          *http.Request
	payload      string
	resp         *http.Response
	given        http.Response // a copy of resp at the end of the call
	header       http.Header   // a copy of the header of resp
	reply        *reply        // nil if there is no body
	err          error
}

func (s *hostileServer) RoundTrip(req *http.Request) (*http.Response, error) {
	e, _ := req.Context().Value(exchangeKey{}).(*exchange)
	call := &baseCall{began: time.Now(), req: req}
	e.calls = append(e.calls, call)
	if req.Body != nil {
		read, _ := io.ReadAll(req.Body) // cannot fail, as the body is in memory
		call.payload = string(read)
		_ = req.Body.Close() // cannot fail either
	}
	t := &e.tape
	ctx := req.Context()
	pause(ctx, choose(t, 0, 0, 0, 10*time.Millisecond, 10*time.Millisecond, time.Second, time.Second, time.Minute, maxRun))
	switch {
	case ctx.Err() != nil && t.next(2) == 0:
		call.err = ctx.Err()
	case t.next(8) == 7:
		call.err = errServer
	default:
		call.respond(t, s.headers)
	}
	call.ended = time.Now()
	return call.resp, call.err
}

func (c *baseCall) respond(t *tape, headers []http.Header) {
	status := choose(t, 429, 200, 503, 429, 403, 200, 429, 503, 429, 200, 101, 302, 408, 204, 500, 999, 0, -1)
	c.header = headers[t.next(len(headers))]
	c.resp = &http.Response{StatusCode: status, Header: c.header.Clone(), ContentLength: -1, Request: c.req, Trailer: http.Header{"Retry-After": {"9"}}}
	switch t.next(8) {
	case 0:
		c.resp.Body = http.NoBody
	case 1: // a nil Body, as some test servers return it
	case 2:
		c.reply = &reply{full: "short"}
	case 3:
		c.reply = &reply{full: strings.Repeat("long", 20<<10)}
	case 4:
		c.reply = &reply{full: "slow", pause: time.Second}
	case 5:
		c.reply = &reply{full: "broken", fail: errServer}
	default:
		c.resp.Header = nil
		c.header = nil
		c.resp.Body = http.NoBody
	}
	if c.reply != nil {
		c.reply.text, c.reply.closed = c.reply.full, make(chan struct{})
		c.resp.Body = c.reply
	}
	c.given = *c.resp
}

// A reply is a response's body.
type reply struct {
	full  string
	text  string        // the unread rest of full
	pause time.Duration // before each read
	fail  error         // the error at the end; nil: io.EOF

	once     sync.Once
	closed   chan struct{}
	closedAt time.Time
}

func (r *reply) Read(p []byte) (int, error) {
	select {
	case <-r.closed:
		return 0, errClosed
	default:
	}
	if r.pause > 0 {
		select {
		case <-r.closed:
			return 0, errClosed
		case <-time.After(r.pause):
		}
	}
	n := copy(p, r.text)
	r.text = r.text[n:]
	switch {
	case n > 0 || len(p) == 0:
		return n, nil
	case r.fail != nil:
		return 0, r.fail
	}
	return 0, io.EOF
}

func (r *reply) Close() error {
	r.once.Do(func() {
		r.closedAt = time.Now()
		close(r.closed)
	})
	return nil
}

// A reading is what the program read of a response's body.
type reading struct {
	began time.Time
	text  string
	err   error // nil at the end, or if the program wanted no more
	all   bool  // the program wanted the whole body
}

// readReply reads up to most bytes and closes the body.
func readReply(body io.ReadCloser, most int64) reading {
	r := reading{began: time.Now()}
	text, err := io.ReadAll(io.LimitReader(body, most))
	_ = body.Close()
	r.text, r.err, r.all = string(text), err, most == math.MaxInt64
	return r
}
