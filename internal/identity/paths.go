package identity

import (
	"hash/maphash"
	"net/http"
	"net/url"
)

// Paths tells the routes of one partition apart: see [Routing]. Its zero value is ready
// for the first request. It must not be used concurrently. It takes 16 bytes as long as
// there is but one route, and no more than some hundreds with any number of paths.
type Paths struct {
	routes *routes // nil: there is but one
	path   uint32  // half the hash of the last one of the first shape, for it mostly comes again; 0: none
	first  shape   // of the first request; 0: there was none
}

// A Routing is what is known of a request's route. The zero value says that the partition
// has but one so far.
type Routing struct {
	Number uint8 // of the route, from 1 to pacer.MaxRoutes; it stays the same for ever
	Like   uint8 // that of another method of the same path, if the route is new; 0: there is none
	Mixed  bool  // the route has several kinds of requests: for want of room, or as paths go on where nobody looks
}

// Route returns the routing of a request with that method ("" is GET) and that URL, which
// must not be nil. needed says that it matters: as long as it does not, because there are no
// limits that might apply to some routes only, no other route is made than the first.
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

// HasOne reports whether all requests so far are of one route.
func (p *Paths) HasOne() bool { return p.routes == nil && p.first != 0 }

// isOnly reports whether a request has the shape of all so far, as far as that matters.
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
