package identity

import (
	"bytes"
	"hash/maphash"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/headway-go/headway/pacer"
)

const (
	reserved = 4   // routes that each level of depth leaves to the levels above it
	maxDepth = 8   // segments of a path that count
	maxPath  = 512 // bytes of a path that count; a redirect's path comes from a server
	maxWord  = 64  // bytes; a longer segment is an identifier
)

// Routes numbers the routes of one partition's requests. One origin often has several limits: one for searches, one for an
// endpoint, one for all other requests. headway learns for each route which limits apply to it. A route is the method and
// the path of requests, without the identifiers in the path: all issues of a project have one route.
//
// The number of routes has a bound. A request for which there is no room shares the route of the nearest path above. The
// last routes are reserved for short paths, so that another part of an API gets its own route even late. The number of a
// request never changes.
//
// The zero value is ready for use. It must not be used concurrently.
type Routes struct {
	known   []route // by their numbers, from 1 on
	last    uint64  // the hash of the last request, as requests often repeat
	routing Routing // of the last request
}

// A route is known by keyed hashes only, as paths may contain secrets.
type route struct {
	request uint64 // of method and folded path; 0: only other paths share the route
	path    uint64 // of the folded path
}

// A Routing describes a request's route.
type Routing struct {
	Number uint8 // the route's number, from 1 to pacer.MaxRoutes
	Like   uint8 // if the route is new: the number of another method's route for the same path; 0: none
	Mixed  bool  // requests of other paths share the route, as there was no room or the path is too long
}

// AreOne reports whether all requests so far have one route.
func (r *Routes) AreOne() bool { return len(r.known) == 1 }

// Of returns the routing of a request with that method ("" means GET) and that URL, which must not be nil.
func (r *Routes) Of(method string, u *url.URL) Routing {
	path := u.Path
	if u.RawPath != "" {
		path = u.RawPath
	}
	if method == "" || method == http.MethodHead { // which servers count as GET
		method = http.MethodGet
	}
	if request := maphash.Comparable(hashSeed, [...]string{method, path}); request != r.last {
		r.last, r.routing = request, r.find(method, path)
	}
	return r.routing
}

// find returns the routing of a request, and makes its route if there is room.
func (r *Routes) find(method, path string) Routing {
	var buffer [maxPath + maxWord]byte
	above, depth, isCut := fold(buffer[:0], path)
	own := route{request: hash(append(append(above, ' '), method...)), path: hash(above)}
	if n := slices.Index(r.known, own) + 1; n > 0 {
		return Routing{Number: uint8(n), Mixed: isCut}
	}
	if r.hasRoom(depth) {
		like := r.firstOf(own.path)
		r.known = append(r.known, own)
		return Routing{Number: uint8(len(r.known)), Like: like, Mixed: isCut}
	}
	for ; ; depth-- { // to the root, for which there is always room
		n := r.firstOf(hash(above))
		if n == 0 && r.hasRoom(depth) {
			r.known = append(r.known, route{path: hash(above)})
			n = uint8(len(r.known))
		}
		if n > 0 {
			return Routing{Number: n, Mixed: true}
		}
		above = above[:bytes.LastIndexByte(above, '/')]
	}
}

// Known returns the number of the route that a request would have now, without making one: that of a new route if it has none.
func (r *Routes) Known(method string, u *url.URL) uint8 {
	if method == "" || method == http.MethodHead {
		method = http.MethodGet
	}
	var buffer [maxPath + maxWord]byte
	above, _, _ := fold(buffer[:0], u.EscapedPath())
	own := route{request: hash(append(append(above, ' '), method...)), path: hash(above)}
	if n := slices.Index(r.known, own) + 1; n > 0 {
		return uint8(n)
	}
	return uint8(len(r.known) + 1)
}

func (r *Routes) hasRoom(depth int) bool { return len(r.known) < pacer.MaxRoutes-reserved*depth }

// firstOf returns the number of the first route of a path; 0 if there is none.
func (r *Routes) firstOf(path uint64) uint8 {
	return uint8(slices.IndexFunc(r.known, func(known route) bool { return known.path == path }) + 1)
}

// Template returns a path with * in place of each identifier, as for a route. What is beyond the bounds of a route is left out.
func Template(path string) string {
	folded, _, isCut := fold(nil, path)
	if isCut || len(folded) == 0 {
		folded = append(folded, '/')
	}
	return string(folded)
}

// fold appends path to folded, with * in place of each identifier. Empty segments do not count.
func fold(folded []byte, path string) (_ []byte, depth int, isCut bool) {
	isCut = len(path) > maxPath
	for segment := range strings.SplitSeq(path[:min(len(path), maxPath)], "/") {
		switch {
		case segment == "":
			continue
		case depth == maxDepth:
			return folded, depth, true
		case isIdentifier(segment):
			segment = "*"
		}
		depth++
		folded = append(append(folded, '/'), segment...)
	}
	return folded, depth, isCut
}

// hash is keyed, as paths may contain secrets.
func hash(folded []byte) uint64 { return maphash.Bytes(hashSeed, folded) }

// isIdentifier reports whether a segment of a path is an identifier: it has a digit, an unusual sign or more than a quarter
// of capitals, or it is long. Numbers, UUIDs, tokens, dates, escapes and codes do. A word that counts as an identifier
// shares its route with identifiers. An identifier that counts as a word takes room for a route.
func isIdentifier(segment string) bool {
	if len(segment) > maxWord {
		return true
	}
	capitals := 0
	for _, c := range []byte(segment) {
		switch {
		case 'a' <= c && c <= 'z', strings.IndexByte("-._:$", c) >= 0: // pull-requests, chat.postMessage, rate_limit, text:synthesize, $batch
		case 'A' <= c && c <= 'Z':
			capitals++
		default:
			return !isVersion(segment)
		}
	}
	return 4*capitals > len(segment)
}

// isVersion reports whether a segment is a version, such as v1, v2.1 or v1beta1.
func isVersion(segment string) bool {
	return 2 <= len(segment) && len(segment) <= 8 && segment[0]|0x20 == 'v' && '0' <= segment[1] && segment[1] <= '9'
}
