package identity

import (
	"hash/maphash"
	"math/bits"
	"net/http"
	"slices"

	"github.com/headway-go/headway/pacer"
)

// One origin often has several limits: one for searches, one for an endpoint, one for all other requests. headway learns
// for each route which limits apply to it. A route is the method and the path of requests, without the identifiers in
// the path: all issues of a project have one route. Routes are stored as keyed hashes only, as paths may contain
// secrets.
const (
	maxRoutes   = pacer.MaxRoutes
	maxChildren = 16  // words below a node
	maxDepth    = 8   // segments of a path that count
	reserved    = 4   // nodes that each level of depth leaves to the levels above it
	maxPath     = 512 // bytes of a path that count; a redirect's path comes from a server
	maxWord     = 64  // bytes; a longer segment is an identifier
	identifier  = 0   // the word in place of every identifier

	_ uint = 64 - maxRoutes // routes.mixed has a bit for each
)

// routes numbers the routes of one partition. Routes are the nodes of a tree, with one node for each segment of the
// folded path. The node of the last segment is the route of GET. Each other method has a node below it.
//
// The tree has a bound. Requests whose node found no room share the route of the nearest node above. Names that do not
// look like identifiers, such as users' names, take at most maxChildren nodes in one place. The last nodes are reserved
// for short paths, so that another part of an API gets its own route even late.
//
// Nodes are never removed. A path that found no room never gets a node later, so its number never changes.
type routes struct {
	shapes   []shape // of the nodes, in the order of their numbers
	children []uint8 // the number of each node's children, up to maxChildren
	used     uint64  // bit n−1: node n has been the route of a request
	mixed    uint64  // bit n−1: node n is mixed, see Routing
}

// A shape identifies the requests of one method and one folded path. It is half of the key of their node; see trail.
// With a full table two shapes are equal by chance in one of two million programs.
type shape uint32

// newRoutes returns the routes of a partition that has seen one shape. The shape gets
// the number 1. The nodes above it are made when another path needs them.
func newRoutes(first shape) *routes {
	return &routes{shapes: []shape{first}, children: []uint8{0}, used: 1}
}

// of returns the Routing of a request, and makes its node if there is room. A mixed
// route stays mixed. path has no query, and may be escaped or not.
func (r *routes) of(method, path string) Routing {
	var t trail
	own := t.follow(method, path)
	n := r.find(own)
	if n == 0 {
		n = r.extend(&t)
	}
	bit, found := uint64(1)<<(n-1), r.shapes[n-1] == own
	if t.cut || !found {
		r.mixed |= bit
	}
	like := uint8(0)
	if found && r.used&bit == 0 {
		like = r.alike(&t, n)
	}
	r.used |= bit
	return Routing{Number: n, Like: like, Mixed: r.mixed&bit != 0}
}

// alike returns the number of a route for the same path and another usual method, if
// it has been the route of a request; else 0.
func (r *routes) alike(t *trail, n uint8) uint8 {
	path := t.keys[t.depth]
	if t.method {
		path = t.keys[t.depth-1]
	}
	candidates := [...]shape{
		shape(path), shape(belowMethod(path, http.MethodPost)), shape(belowMethod(path, http.MethodPut)),
		shape(belowMethod(path, http.MethodPatch)), shape(belowMethod(path, http.MethodDelete)),
	}
	for _, s := range candidates {
		if other := r.find(s); other > 0 && other != n && r.used&(1<<(other-1)) != 0 {
			return other
		}
	}
	return 0
}

// find returns the number of the node with that shape; 0 if there is none.
func (r *routes) find(s shape) uint8 {
	return uint8(slices.Index(r.shapes, s) + 1)
}

// extend makes the missing nodes of a trail, as far as there is room, and returns the
// last one. There is always room for the first, as the others leave some.
func (r *routes) extend(t *trail) (last uint8) {
	for depth := range t.depth + 1 {
		n := r.find(shape(t.keys[depth]))
		if n == 0 {
			n = r.add(last, t, depth)
		}
		if n == 0 {
			break
		}
		last = n
	}
	return last
}

// add makes the node of a trail at a depth and returns its number; 0 if there is no
// room. Methods and identifiers do not count as children.
func (r *routes) add(parent uint8, t *trail, depth int) uint8 {
	isMethod := t.method && depth == t.depth
	isWord := depth > 0 && !isMethod && t.keys[depth] != below(t.keys[depth-1], identifier)
	if len(r.shapes) >= maxRoutes-reserved*depth || isWord && r.children[parent-1] == maxChildren {
		return 0
	}
	if isWord {
		r.children[parent-1]++
	}
	r.shapes, r.children = append(r.shapes, shape(t.keys[depth])), append(r.children, 0)
	return uint8(len(r.shapes))
}

// shapeOf returns the shape of a request.
func shapeOf(method, path string) shape {
	var t trail
	return t.follow(method, path)
}

// A trail holds the keys of the nodes that lead to a request: the key of the root, one for each segment, and one for the
// method unless it is GET. A key is a hash of all segments up to its node, so nodes with equal keys are the same.
type trail struct {
	keys   [maxDepth + 2]uint64
	depth  int  // of the last key
	method bool // the last key is that of a method
	cut    bool // the path is deeper than maxDepth or longer than maxPath
}

// follow sets t, which is empty, to the trail of a request. It returns the shape of the
// last node. Empty segments do not count.
func (t *trail) follow(method, path string) shape {
	if len(path) > maxPath {
		path, t.cut = path[:maxPath], true
	}
	key := firstKey
	t.keys[0] = key
	for i := 0; i < len(path); i++ {
		start, total, word := i, 0, uint64(0) // a word of up to eight bytes is its own hash
		for ; i < len(path) && path[i] != '/'; i++ {
			total += weight(path[i])
			word = word<<8 | uint64(path[i])
		}
		n := i - start
		if n == 0 {
			continue
		}
		if t.depth == maxDepth {
			t.cut = true
			break
		}
		switch {
		case (total > n || n > maxWord) && !isVersion(path[start:i]):
			word = identifier
		case n > 8:
			word = maphash.String(hashSeed, path[start:i])
		}
		key = below(key, word)
		t.depth++
		t.keys[t.depth] = key
	}
	return t.followMethod(key, method)
}

// followMethod adds the node of the method. Servers count HEAD as GET.
func (t *trail) followMethod(path uint64, method string) shape {
	if t.method = method != http.MethodGet && method != http.MethodHead && method != ""; !t.method {
		return shape(path)
	}
	t.depth++
	t.keys[t.depth] = belowMethod(path, method)
	return shape(t.keys[t.depth])
}

// weight returns the weight of a byte of a segment. A segment is an identifier if the sum of its weights exceeds its
// length. So a segment is one if it has a digit (as numbers, UUIDs, tokens, dates and escapes have), or an unusual sign,
// or more than a quarter of capitals (as codes and random letters have). A word that counts as an identifier shares its
// route with identifiers. An identifier that counts as a word takes room for a route.
func weight(c byte) int {
	const (
		letters  = "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
		capitals = "\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04"
		eight    = "\xff\xff\xff\xff\xff\xff\xff\xff"
		weights  = eight + eight + eight + eight +
			"\xff\xff\xff\xff\x00\xff\xff\xff" + "\xff\xff\xff\xff\xff\x00\x00\xff" + // $batch, pull-requests, chat.postMessage
			eight + "\xff\xff\x00\xff\xff\xff\xff\xff" + // text:synthesize
			"\xff" + capitals + "\xff\xff\xff\xff\x00" + // rate_limit
			"\xff" + letters + "\xff\xff\xff\xff\xff" +
			eight + eight + eight + eight + eight + eight + eight + eight + eight + eight + eight + eight + eight + eight + eight + eight // not ASCII
	)
	return int(weights[c]) // a table, as comparisons take a third longer
}

// isVersion reports whether a segment is a version, such as v1, v2.1 or v1beta1. A
// version is a word in spite of its digits.
func isVersion(segment string) bool {
	return 2 <= len(segment) && len(segment) <= 8 && segment[0]|0x20 == 'v' && segment[1]-'0' <= 9
}

// belowMethod returns the key of the node for a method of a path. No word leads to the same key.
func belowMethod(path uint64, method string) uint64 {
	return below(path, ^maphash.String(hashSeed, method))
}

// below returns the key of a node's child. It mixes the two halves of a product, so that
// every bit depends on every bit of parent and word.
func below(parent, word uint64) uint64 {
	hi, lo := bits.Mul64(parent^word, 0x9e3779b97f4a7c15)
	return hi ^ lo
}

//nolint:gochecknoglobals // drawn once, like the seed; it never changes.
var firstKey = maphash.String(hashSeed, "")
