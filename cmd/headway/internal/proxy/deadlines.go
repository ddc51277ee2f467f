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

// stall is how long a client may take for the next bytes of its request, or to take the next ones of its response. A
// request and a response as a whole may last as long as they like.
const stall = time.Minute

// A patientConn is the connection of a client. Its writes take as long as the client likes, if only it takes something.
type patientConn struct{ net.Conn }

// looks is how often a write looks for progress during stall.
const looks = 6

// Write returns os.ErrDeadlineExceeded if the client has taken nothing for stall. What it takes from the system's buffer shows
// in unsent only, long before there is room for more.
func (c patientConn) Write(p []byte) (n int, err error) {
	left := 0
	for idle := 0; idle < looks; idle++ {
		_ = c.SetWriteDeadline(time.Now().Add(stall / looks)) // of net.Conn, so it does not fail while the connection is open
		k, err := c.Conn.Write(p[n:])
		if n += k; !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
		now := unsent(c.Conn)
		if k > 0 || now < left {
			idle = -1
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
