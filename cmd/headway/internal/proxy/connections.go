package proxy

import (
	"container/list"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"time"
)

// leastIdle is how long a connection is left alone between two requests, or before the first one. After that it makes room for
// a client that finds no place. A shorter time would cut off clients that are about to send.
const leastIdle = time.Second

// connections are those of a listener, of which so many are open at once. A client beyond that waits until a connection ends
// or has been idle for a while: the one that has been idle for longest is closed for it. Otherwise clients that keep
// connections open, as most do, would lock out all others.
//
// A connection is idle from when it is accepted or has got a response, until the fields of the next request are complete.
type connections struct {
	net.Listener

	most int
	full func() // called when the first client finds no place

	changed chan struct{} // has room for one; a connection has ended or become idle
	closed  chan struct{}
	once    sync.Once // closes closed

	mu     sync.Mutex
	open   int        // guarded by mu, as are the next ones
	idle   *list.List // of *connection, the one that is idle for longest first
	isFull bool       // full was called, and a quarter of the places was not free since
}

// newConnections makes connections, whose Listener is to be set.
func newConnections(most int, full func()) *connections {
	return &connections{most: most, full: full, idle: list.New(), changed: make(chan struct{}, 1), closed: make(chan struct{})}
}

// places returns how many connections have a request, and how many have none.
func (c *connections) places() (busy, idle int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open - c.idle.Len(), c.idle.Len()
}

// A connection is one of a client.
type connection struct {
	net.Conn

	all *connections

	ended bool          // guarded by all.mu, as are place and since
	place *list.Element // in all.idle; nil: it is not idle
	since time.Time     // when it became idle
}

// Accept waits for a client, and then for a place. Call it from one goroutine.
func (c *connections) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err != nil {
		return nil, err
	}
	x := &connection{Conn: patientConn{conn}, all: c}
	for {
		wait, isIn, isNews := c.admit(x)
		if isIn {
			return x, nil
		}
		if isNews {
			c.full()
		}
		select {
		case <-c.changed:
		case <-wait:
		case <-c.closed:
			_ = conn.Close() // no request was read
			return nil, net.ErrClosed
		}
	}
}

// admit gives a new connection its place, if there is one or can be made. Otherwise wait ends when one can perhaps be made. nil
// means not before something has changed. isNews says that all connections have a request for the first time.
func (c *connections) admit(x *connection) (wait <-chan time.Time, isIn, isNews bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open >= c.most {
		oldest := c.idle.Front()
		if oldest == nil {
			isNews, c.isFull = !c.isFull, true
			return nil, false, isNews
		}
		y := oldest.Value.(*connection) //nolint:forcetypeassert // nothing else is in it
		if left := leastIdle - time.Since(y.since); left > 0 {
			return time.After(left), false, false
		}
		y.leave()
		_ = y.Conn.Close() // which does not wait; net/http finds out as it does when a client leaves
	}
	c.open++
	x.rest()
	return nil, true, false
}

// watch is a ConnState of http.Server. Connections that are upgraded are in use until they are closed.
func (c *connections) watch(conn net.Conn, state http.ConnState) {
	if secure, isTLS := conn.(*tls.Conn); isTLS {
		conn = secure.NetConn()
	}
	x, isOurs := conn.(*connection)
	if !isOurs {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch state {
	case http.StateIdle:
		x.rest()
	case http.StateActive, http.StateHijacked:
		x.work()
	case http.StateNew, http.StateClosed:
	}
}

// Close ends Accept, too.
func (c *connections) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Listener.Close()
}

// Close gives the place back.
func (x *connection) Close() error {
	x.all.mu.Lock()
	x.leave()
	x.all.mu.Unlock()
	return x.Conn.Close()
}

// The following need all.mu.

// rest says that the connection is idle from now on.
func (x *connection) rest() {
	x.work()
	if !x.ended {
		x.since, x.place = time.Now(), x.all.idle.PushBack(x)
		x.all.tell()
	}
}

// work says that the connection is in use.
func (x *connection) work() {
	if x.place != nil {
		x.all.idle.Remove(x.place)
		x.place = nil
	}
}

func (x *connection) leave() {
	x.work()
	if !x.ended {
		x.ended = true
		x.all.open--
		x.all.tell()
	}
}

func (c *connections) tell() {
	c.isFull = c.isFull && (c.open-c.idle.Len())*4 > c.most*3
	select {
	case c.changed <- struct{}{}:
	default: // Accept will look anyway
	}
}
