package parse

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
)

// Header reads all rate-limit fields of h, and those that tell whether they come
// from a cache. Names are compared without regard to case, so that maps made by
// hand work too; if h has one field under several spellings the canonical one is
// read (else the first in byte order). h is not changed; the result refers to its
// strings. Header never panics, and may be called concurrently.
func Header(h http.Header) (f Fields) {
	f.Read(h)
	return f
}

// Read is [Header] without the copy of a large result. It reports whether h has
// any field of those, be it malformed; most have none. f must be zero: to clear it
// once more would add a sixth to the time that a header without any field takes.
func (f *Fields) Read(h http.Header) bool {
	var room [6]found
	fields := room[:0]
	for name, lines := range h {
		if id := identify(name); id != 0 && len(lines) > 0 {
			fields = append(fields, found{id, name, lines})
		}
	}
	if len(fields) == 0 {
		return false
	}
	slices.SortFunc(fields, found.compare)
	for i := range fields {
		if i == 0 || fields[i].id != fields[i-1].id {
			f.read(&fields[i])
		}
	}
	return true
}

// An id names a field: its family, and in families of separate fields the part.
// Fields are read in the order of their ids, so that the result does not depend
// on the order of the map.
type id uint16

// family numbers the fields that stand alone, and the families.
type family uint8

const (
	rateLimit family = iota + 1
	rateLimitPolicy
	retryAfter
	trio
	xRateLimit
	xDashed
	ageField
	fromCacheField
)

func makeID(f family, p part) id { return id(f)<<8 | id(p) }

func (i id) split() (family, part) { return family(i >> 8), part(i & 0xff) }

// String returns the field's name as the drafts and vendors write it.
func (i id) String() string {
	f, p := i.split()
	name := [...]string{"", "RateLimit", "RateLimit-Policy", "Retry-After", "RateLimit-", "X-RateLimit-", "X-Rate-Limit-", "Age", "X-From-Cache"}[f]
	return name + p.String()
}

// longestName is that of X-Rate-Limit-Reset-After.
const longestName = 24

// identify finds the field called name, 0 if it is none of ours. Most fields of
// a response are told by their first letter or length alone.
func identify(name string) id {
	if len(name) < len("ratelimit") || len(name) > longestName {
		if len(name) == len("Age") && strings.EqualFold(name, "Age") {
			return makeID(ageField, partNone)
		}
		return 0
	}
	if c := lower(name[0]); c != 'r' && c != 'x' {
		return 0
	}
	switch name { // as net/http spells the commonest: a sixth of the time
	case "Ratelimit":
		return makeID(rateLimit, partNone)
	case "Ratelimit-Policy":
		return makeID(rateLimitPolicy, partNone)
	case "Retry-After":
		return makeID(retryAfter, partNone)
	}
	var room [longestName]byte
	for i := range len(name) {
		room[i] = lower(name[i])
	}
	return identifyLower(room[:len(name)])
}

func identifyLower(name []byte) id {
	switch string(name) {
	case "ratelimit":
		return makeID(rateLimit, partNone)
	case "ratelimit-policy":
		return makeID(rateLimitPolicy, partNone)
	case "retry-after":
		return makeID(retryAfter, partNone)
	case "x-from-cache":
		return makeID(fromCacheField, partNone)
	}
	if suffix, ok := bytes.CutPrefix(name, []byte("ratelimit-")); ok {
		return inFamily(trio, suffix)
	}
	if suffix, ok := bytes.CutPrefix(name, []byte("x-ratelimit-")); ok {
		return inFamily(xRateLimit, suffix)
	}
	if suffix, ok := bytes.CutPrefix(name, []byte("x-rate-limit-")); ok {
		return inFamily(xDashed, suffix)
	}
	return 0
}

func inFamily(f family, suffix []byte) id {
	p := partOf(suffix)
	if p == partNone {
		return 0
	}
	return makeID(f, p)
}

// A found is a field of a header that is ours.
type found struct {
	id    id
	name  string
	lines []string
}

// compare orders fields by their ids, and spellings of one field by preference.
func (x found) compare(y found) int {
	if x.id != y.id {
		return int(x.id) - int(y.id)
	}
	if canonical := x.canonical(); canonical != y.canonical() {
		if canonical {
			return -1
		}
		return 1
	}
	return strings.Compare(x.name, y.name)
}

func (x found) canonical() bool { return http.CanonicalHeaderKey(x.name) == x.name }

// read adds one field to f.
func (f *Fields) read(x *found) {
	var why fault
	lines := x.lines
	switch family, part := x.id.split(); family {
	case rateLimit:
		why = readRateLimit(lines, &f.RateLimit)
	case rateLimitPolicy:
		why = readRateLimitPolicy(lines, &f.Policy)
	case retryAfter:
		f.RetryAfter, _, why = singleton(lines, readRetryAfter, When.later)
	case trio:
		why = f.Trio.read(part, lines)
	case xRateLimit:
		why = f.XRateLimit.read(part, lines)
	case xDashed:
		why = f.XDashed.read(part, lines)
	case ageField:
		f.Age = readAge(lines[0])
	case fromCacheField:
		f.FromCache = readFlag(lines[0])
	}
	if why.err != nil {
		f.Problems = append(f.Problems, &Error{Field: x.id.String(), Offset: why.offset, Err: why.err})
	}
}
