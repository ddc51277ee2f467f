package identity

import (
	"hash/maphash"
	"net/http"
	"net/url"
)

// Paths finds the routes of one partition's requests; see [Routing]. The zero value is
// ready for use. It must not be used concurrently. It takes 16 bytes while there is one
// route, and at most some hundred bytes with any number of paths.
type Paths struct {
	routes *routes // nil: there is one route only
	path   uint32  // half the hash of the last path of the first shape, as paths often repeat; 0: none
	first  shape   // of the first request; 0: there was no request
}

// A Routing describes a request's route. The zero value says that the partition has only one route so far.
type Routing struct {
	Number uint8 // the route's number, from 1 to pacer.MaxRoutes; it never changes
	Like   uint8 // if the route is new: the number of another method's route for the same path; 0: none
	Mixed  bool  // requests of different paths share the route, as there was no room or the paths are too deep
}

// Route returns the routing of a request with that method ("" means GET) and that URL, which must not be nil. needed
// says that a limit may apply to some routes only. While needed is false, Route makes no second route.
func (p *Paths) Route(method string, u *url.URL, needed bool) Routing {
	path := u.Path
	if u.RawPath != "" {
		path = u.RawPath
	}
	if p.routes == nil {
		if p.isOnly(method, path, needed) {
			return Routing{}
		}
		p.routes = newRoutes(p.first)
	}
	return p.routes.of(method, path)
}

// HasOne reports whether all requests so far have one route.
func (p *Paths) HasOne() bool { return p.routes == nil && p.first != 0 }

// isOnly reports whether the partition still has one route after this request.
func (p *Paths) isOnly(method, path string, needed bool) bool {
	switch {
	case p.first == 0:
		p.first = shapeOf(method, path)
		return true
	case !needed:
		return true
	}
	hash := uint32(maphash.String(hashSeed, path))
	if hash == p.path && method == http.MethodGet {
		return true // three times as fast
	}
	if shapeOf(method, path) != p.first {
		return false
	}
	if method == http.MethodGet {
		p.path = hash
	}
	return true
}
