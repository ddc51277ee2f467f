package headway

import (
	"hash/maphash"
	"math/bits"
	"net/http"

	"github.com/headway-go/headway/pacer"
)

// One origin often has several limits: for searches, for all else, for one
// endpoint. Which of them answer is learned for each route: the method and the
// path of requests with the identifiers in it folded, so that all issues of a
// project have one route. Routes are known by keyed hashes alone: paths may carry
// secrets, and none of their text stays in memory.
const (
	maxRoutes   = pacer.MaxRoutes
	maxChildren = 16  // words below a node
	maxDepth    = 8   // segments of a path that are looked at
	reserved    = 4   // nodes that each level of depth leaves to those above it
	maxPath     = 512 // bytes of a path that are looked at; redirects come from servers
	maxWord     = 64  // bytes; what is longer is an identifier
	identifier  = 0   // the word that stands for all of them
)

// routes numbers the routes of one partition. They are the nodes of a tree: one
// for each segment of the folded path and, below that of the last one, one for each
// method but GET, of which it is itself. A node is also the route of all requests
// below it that found no room for nodes of their own. Names that do not look like identifiers, of users say, take
// no more than maxChildren nodes in one place. The last nodes are kept for short
// paths, so that another part of an API is told apart even late.
//
// Nodes are never removed. As the tree only grows, a path that was refused a
// node will never get it, and its number stays the same for ever.
type routes struct {
	shapes   []shape // of the nodes, in the order of their numbers
	children []uint8 // of each node, up to maxChildren
	mixed    uint64  // bit n−1: node n stands for paths of several shapes
}

// A shape is what the method and the folded path of requests have in common that have
// one route: half of the key of its node, see trail. In a full table two are taken for
// one once in two million programs.
type shape uint32

// newRoutes returns the routes of a partition in which one shape was seen, which
// gets the number 1. The nodes above it are made when another path needs them.
func newRoutes(first shape) *routes {
	return &routes{shapes: []shape{first}, children: []uint8{0}}
}

// A routing is what routes say of a request.
type routing struct {
	number uint8 // of its route, from 1 to maxRoutes
	like   uint8 // of that for GET of the same path; 0: it is this one
	mixed  bool  // requests of several shapes have it: for want of room, or as their paths go on where nobody looks
}

// of returns the routing of a request, made if need be. A route that is mixed stays so.
// The path is without the query, escaped or not.
func (r *routes) of(method, path string) routing {
	var t trail
	t.follow(method, path)
	found := routing{number: r.find(t.keys[t.depth])}
	if found.number == 0 {
		found.number = r.extend(&t)
	}
	bit := uint64(1) << (found.number - 1)
	if t.more || r.shapes[found.number-1] != shape(t.keys[t.depth]) {
		r.mixed |= bit
	} else if t.method {
		found.like = r.find(t.keys[t.depth-1])
	}
	found.mixed = r.mixed&bit != 0
	return found
}

// find returns the number of a node; 0 if there is none.
func (r *routes) find(key uint64) uint8 {
	for i, s := range r.shapes {
		if s == shape(key) {
			return uint8(i + 1)
		}
	}
	return 0
}

// extend makes the nodes that are missing on a trail as far as there is room,
// and returns the last one. There always is room for the first.
func (r *routes) extend(t *trail) (last uint8) {
	for depth := range t.depth + 1 {
		n := r.find(t.keys[depth])
		if n == 0 {
			if n = r.add(last, t, depth); n == 0 {
				break
			}
		}
		last = n
	}
	return last
}

// add makes the node of a trail at a depth; 0 if there is no room.
func (r *routes) add(parent uint8, t *trail, depth int) uint8 {
	if len(r.shapes) >= maxRoutes-reserved*depth {
		return 0
	}
	if depth > 0 && !t.uncounted(depth) {
		if r.children[parent-1] == maxChildren {
			return 0
		}
		r.children[parent-1]++
	}
	r.shapes, r.children = append(r.shapes, shape(t.keys[depth])), append(r.children, 0)
	return uint8(len(r.shapes))
}

// shapeOf returns the shape of a request.
func shapeOf(method, path string) shape {
	var t trail
	t.follow(method, path)
	return shape(t.keys[t.depth])
}

// A trail has the keys of the nodes that lead to a request: that of all paths, one
// more for each segment, and one for its method. A key is a hash of all that leads
// to its node, so equal keys are one node.
type trail struct {
	keys   [maxDepth + 2]uint64
	depth  int  // of the last key
	method bool // which is that of a method
	more   bool // the path goes on
}

// uncounted reports whether the node at a depth, which is not the first, is one of few
// that its parent can have besides words.
func (t *trail) uncounted(depth int) bool {
	return depth == t.depth && t.method || t.keys[depth] == below(t.keys[depth-1], identifier)
}

// follow sets t, which is empty, to the trail of a path. Segments without text do
// not count.
func (t *trail) follow(method, path string) {
	if len(path) > maxPath {
		path, t.more = path[:maxPath], true
	}
	key, depth := firstKey, 0
	t.keys[0] = key
	for i := 0; i < len(path); i++ {
		start, total, word := i, 0, uint64(0) // up to eight bytes are their own hash
		for ; i < len(path) && path[i] != '/'; i++ {
			total += weight(path[i])
			word = word<<8 | uint64(path[i])
		}
		n := i - start
		if n == 0 {
			continue
		}
		if depth == maxDepth {
			t.more = true
			break
		}
		switch {
		case (total > n || n > maxWord) && !isVersion(path[start:i]):
			word = identifier
		case n > 8:
			word = maphash.String(hashSeed, path[start:i])
		}
		depth++
		key = below(key, word)
		t.keys[depth] = key
	}
	// Servers count HEAD as GET.
	if t.method = method != http.MethodGet && method != http.MethodHead && method != ""; t.method {
		depth++
		t.keys[depth] = below(key, maphash.String(hashSeed, method))
	}
	t.depth = depth
}

// weight returns what a byte of a segment weighs. A segment that weighs more than
// it is long is an identifier: one with a digit (a number, UUID, token, date or
// escape) or a sign that names seldom have, or one with more than a quarter of
// capitals (a code, or random letters). A word taken for an identifier only shares
// a route with what else is found in its place; an identifier taken for a word
// only uses up room. It is a table because comparisons take a third longer.
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
	return int(weights[c])
}

// isVersion reports that a segment is a version, as v1, v2.1 and v1beta1: a word
// in spite of its digits.
func isVersion(segment string) bool {
	return 2 <= len(segment) && len(segment) <= 8 && segment[0]|0x20 == 'v' && segment[1]-'0' <= 9
}

// below returns the key of a node's child: the two halves of a product, so that
// every bit of it depends on every bit of both.
func below(parent, word uint64) uint64 {
	hi, lo := bits.Mul64(parent^word, 0x9e3779b97f4a7c15)
	return hi ^ lo
}

//nolint:gochecknoglobals // drawn once, like the seed; it never changes.
var firstKey = maphash.String(hashSeed, "")
