package proxy

import (
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"time"
)

// How long a client may take for the next bytes, while a request and a response as a whole may last as long as they like. A
// client's system tells only after some 100 KB that the client has read them, so stallOfResponse is enough for 20 KiB a minute.
const (
	stall           = time.Minute     // of its request
	stallOfResponse = 5 * time.Minute // to take of its response
	look            = 10 * time.Second
)

// A patientConn is a connection whose writes last as long as its other end takes something within the limit. limit ≤ 0: for ever.
type patientConn struct {
	net.Conn

	limit time.Duration
}

// Write looks for progress now and then, and returns os.ErrDeadlineExceeded if there was none for the limit. Progress often
// shows in unsent alone: there is room for more only when a third of the system's buffer, of 4 MB perhaps, is free.
func (c patientConn) Write(p []byte) (n int, err error) {
	if c.limit <= 0 {
		return c.Conn.Write(p)
	}
	step, left, idle := min(look, c.limit), 0, time.Duration(0)
	for idle < c.limit {
		_ = c.SetWriteDeadline(time.Now().Add(step)) // fails if the connection is closed, as does what follows
		k, err := c.Conn.Write(p[n:])
		if n += k; !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
		now := unsent(c.Conn)
		if idle += step; k > 0 || now < left {
			idle = 0
		}
		left = now
	}
	return n, os.ErrDeadlineExceeded
}

// A deadlineReader reads the content of a request.
type deadlineReader struct {
	io.Reader

	control *http.ResponseController // of the response to it
	stopped atomic.Bool
}

// stop ends a Read that waits, and all later ones.
func (r *deadlineReader) stop() {
	r.stopped.Store(true)
	_ = r.control.SetReadDeadline(time.Unix(1, 0))
}

// Read leaves its deadline in place. net/http clears it when the content ends, and then sets its own: a deadline that is set
// after Read could undo those.
func (r *deadlineReader) Read(p []byte) (int, error) {
	_ = r.control.SetReadDeadline(time.Now().Add(stall))
	if r.stopped.Load() { // perhaps since a moment ago
		r.stop()
	}
	return r.Reader.Read(p)
}
