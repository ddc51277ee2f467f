package ratelimittest

import "net/http/httptest"

// A Server is a Handler behind a real HTTP server on a loopback address. URL, Client, Close and the rest work
// as in httptest.Server. A Server does not work inside a testing/synctest bubble; use Transport there.
type Server struct {
	*httptest.Server

	// Handler serves the requests and logs them. Set its other fields before the first request.
	Handler *Handler
}

// NewServer starts a Server with the given Limiter and Dialect. The caller must Close it.
func NewServer(l Limiter, d Dialect) *Server {
	h := &Handler{Limiter: l, Dialect: d}
	return &Server{Server: httptest.NewServer(h), Handler: h}
}
