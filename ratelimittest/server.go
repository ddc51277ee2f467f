package ratelimittest

import "net/http/httptest"

// A Server is a Handler behind a real HTTP server on a loopback address. Its
// URL, Client, Close and the rest are those of httptest.Server. It does not work
// inside a testing/synctest bubble, where Transport does.
type Server struct {
	*httptest.Server

	// Handler is what serves; its Log has what arrived. Set its other fields
	// before the first request.
	Handler *Handler
}

// NewServer starts a Server with the given Limiter and Dialect. The caller
// closes it.
func NewServer(l Limiter, d Dialect) *Server {
	h := NewHandler(l, d)
	return &Server{Server: httptest.NewServer(h), Handler: h}
}
