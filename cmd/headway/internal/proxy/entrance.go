package proxy

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// An entrance counts the requests that are served, in all and of each client, until the proxy stops.
type entrance struct {
	most int // requests at once of one client; 0 or less: no bound

	mu       sync.Mutex
	isClosed bool           // guarded by mu, as is clients; from then on serving does not grow
	clients  map[string]int // requests by address
	serving  sync.WaitGroup // requests, also those that were upgraded
}

func newEntrance(most int) *entrance { return &entrance{most: most, clients: map[string]int{}} }

// enter counts a request until leave is called. p is the response to a request that is not served.
func (e *entrance) enter(r *http.Request) (leave func(), p *problem) {
	client, _, _ := net.SplitHostPort(r.RemoteAddr) // "": on a socket
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.isClosed:
		return func() {}, stopping()
	case e.most > 0 && e.clients[client] >= e.most:
		return func() {}, &problem{
			Title: "this client has too many requests at once", Status: http.StatusServiceUnavailable, retryAfter: 1,
			Detail: "They may wait for their turn. The proxy's max-per-client bounds them.",
		}
	}
	e.serving.Add(1)
	e.clients[client]++
	return func() { e.leave(client) }, nil
}

func (e *entrance) leave(client string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.clients[client]--; e.clients[client] == 0 {
		delete(e.clients, client)
	}
	e.serving.Done()
}

// close refuses all requests from now on.
func (e *entrance) close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.isClosed = true
}

// wait waits until no request is served. http.Server.Shutdown does not know of those that were upgraded.
func (e *entrance) wait(ctx context.Context) error {
	done := make(chan struct{})
	go func() { e.serving.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
