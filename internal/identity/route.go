package identity

import (
	"hash/maphash"
	"math/bits"
	"net/http"
	"slices"

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

	_ uint = 64 - maxRoutes // routes.mixed has a bit for each
)

// routes numbers the routes of one partition. They are the nodes of a tree: one
// for each segment of the folded path, which is also the route of GET there, and
// below the last one another for each other method. A node is the route as well of
// all requests below it that found no room: names that do not look like identifiers,
// of users say, take no more than maxChildren nodes in one place, and the last nodes
// are kept for short paths, so that another part of an API is told apart even late.
//
// Nodes are never removed. As the tree only grows, a path that was refused a
// node will never get it, and its number stays the same for ever.
type routes struct {
	shapes   []shape // of the nodes, in the order of their numbers
	children []uint8 // of each node, up to maxChildren
	asked    uint64  // bit n−1: requests have had node n
	mixed    uint64  // bit n−1: of node n, see Routing
}

// A shape is what requests of one method and one folded path have in common: half of
// the key of their node, see trail. In a full table two are taken for one once in two
// million programs.
type shape uint32

// newRoutes returns the routes of a partition in which one shape was seen, which
// gets the number 1. The nodes above it are made when another path needs them; that
// its paths go on where nobody looks is not known before one of them passes through of.
func newRoutes(first shape) *routes {
	return &routes{shapes: []shape{first}, children: []uint8{0}, asked: 1}
}

// of returns the Routing of a request, made if need be. A route that is mixed stays so.
// The path is without the query, escaped or not.
func (r *routes) of(method, path string) Routing {
	var t trail
	own := t.follow(method, path)
	n := r.find(own)
	if n == 0 {
		n = r.extend(&t)
	}
	bit, found := uint64(1)<<(n-1), r.shapes[n-1] == own
	if t.more || !found {
		r.mixed |= bit
	}
	like := uint8(0)
	if found && r.asked&bit == 0 {
		like = r.alike(&t, n)
	}
	r.asked |= bit
	return Routing{Number: n, Like: like, Mixed: r.mixed&bit != 0}
}

// alike returns the number of a route for the same path and another method that requests
// have had before; 0 if there is none of the usual methods.
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
		if other := r.find(s); other > 0 && other != n && r.asked&(1<<(other-1)) != 0 {
			return other
		}
	}
	return 0
}

// find returns the number of a node; 0 if there is none.
func (r *routes) find(s shape) uint8 {
	return uint8(slices.Index(r.shapes, s) + 1)
}

// extend makes the nodes that are missing on a trail as far as there is room, and
// returns the last one. There always is room for the first, as the others leave some.
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

// add makes the node of a trail at a depth; 0 if there is no room. Methods and
// identifiers take none of the room for words.
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

// A trail has the keys of the nodes that lead to a request: that of all paths, one
// more for each segment, and one for its method unless it is GET. A key is a hash
// of all that leads to its node, so equal keys are one node.
type trail struct {
	keys   [maxDepth + 2]uint64
	depth  int  // of the last key
	method bool // it is that of a method
	more   bool // the path goes on
}

// follow sets t, which is empty, to the trail of a request, and returns the shape of
// its last node. Segments without text do not count.
func (t *trail) follow(method, path string) shape {
	if len(path) > maxPath {
		path, t.more = path[:maxPath], true
	}
	key := firstKey
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
		if t.depth == maxDepth {
			t.more = true
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
	// Servers count HEAD as GET.
	if t.method = method != http.MethodGet && method != http.MethodHead && method != ""; t.method {
		key = belowMethod(key, method)
		t.depth++
		t.keys[t.depth] = key
	}
	return shape(key)
}

// weight returns what a byte of a segment weighs. A segment that weighs more than it
// is long is an identifier: one with a digit (a number, UUID, token, date or escape)
// or a sign that names seldom have, or with more than a quarter of capitals (a code,
// or random letters). A word taken for an identifier shares a route with what else is
// found in its place; the other way round room is used up.
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
	return int(weights[c]) // comparisons take a third longer
}

// isVersion reports that a segment is a version, as v1, v2.1 and v1beta1: a word
// in spite of its digits.
func isVersion(segment string) bool {
	return 2 <= len(segment) && len(segment) <= 8 && segment[0]|0x20 == 'v' && segment[1]-'0' <= 9
}

// belowMethod returns the key of the node for a method of a path. No long word has it.
func belowMethod(path uint64, method string) uint64 {
	return below(path, ^maphash.String(hashSeed, method))
}

// below returns the key of a node's child: the two halves of a product, so that
// every bit of it depends on every bit of both.
func below(parent, word uint64) uint64 {
	hi, lo := bits.Mul64(parent^word, 0x9e3779b97f4a7c15)
	return hi ^ lo
}

//nolint:gochecknoglobals // drawn once, like the seed; it never changes.
var firstKey = maphash.String(hashSeed, "")
