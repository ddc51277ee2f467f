package parse

import (
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
	var room [UsualFields]Found
	f.Read(Find(h, room[:0]))
	return f
}

// UsualFields is how many fields of Header's a response has, but for a few.
const UsualFields = 6

// A Found is a field of a header that Header reads.
type Found struct {
	key
	name  string
	lines []string
}

// Find returns the fields of h that [Header] reads, be they malformed, for [Fields.Read]; most
// headers have none. room is memory for them: with a capacity of UsualFields few headers need
// more. They come in the order of the map, and refer to the strings and slices of h.
func Find(h http.Header, room []Found) []Found {
	fields := room[:0]
	for name, lines := range h {
		if !hasOurLetter(name) {
			continue
		}
		k := commonest(name)
		if k.family == 0 && mayBeOurs(name) {
			k = identify(name)
		}
		if n := len(fields); k.family != 0 && len(lines) > 0 {
			fields = slices.Grow(fields, 1)[:n+1]
			x := &fields[n] // one by one: a whole Found would be copied
			x.key, x.name, x.lines = k, name, lines
		}
	}
	return fields
}

// Read is [Header] without the copy of a large result: it reads fields that [Find] found, and sorts
// them. f must be zero.
func (f *Fields) Read(fields []Found) {
	slices.SortFunc(fields, Found.compare)
	fields = slices.CompactFunc(fields, Found.repeats)
	for len(fields) > 0 {
		n := 1
		for n < len(fields) && fields[n].describes(&fields[0]) {
			n++
		}
		f.read(fields[:n])
		fields = fields[n:]
	}
}

// compare orders fields by what they tell, so that the result does not depend on the
// order of the map, and spellings of one field by preference.
func (x Found) compare(y Found) int {
	if x.family != y.family {
		return int(x.family) - int(y.family)
	}
	if x.label != y.label {
		return strings.Compare(x.label, y.label)
	}
	if x.part != y.part {
		return int(x.part) - int(y.part)
	}
	if !strings.EqualFold(x.name, y.name) {
		return strings.Compare(strings.ToLower(x.name), strings.ToLower(y.name))
	}
	if canonical := x.canonical(); canonical != y.canonical() {
		if canonical {
			return -1
		}
		return 1
	}
	return strings.Compare(x.name, y.name)
}

// repeats reports whether y is another spelling of the same field.
func (x Found) repeats(y Found) bool { return x.key == y.key && strings.EqualFold(x.name, y.name) }

func (x Found) canonical() bool { return http.CanonicalHeaderKey(x.name) == x.name }

// describes reports whether x and y are parts of the same limit.
func (x *Found) describes(y *Found) bool { return x.family == y.family && x.label == y.label }

// read adds the fields of one limit, or one field that stands alone.
func (f *Fields) read(fields []Found) {
	x := &fields[0]
	switch x.family {
	case rateLimit:
		f.note(x, readRateLimit(x.lines, &f.RateLimit))
	case rateLimitPolicy:
		f.note(x, readRateLimitPolicy(x.lines, &f.Policy))
	case retryAfter, retryAfterFine, retryAfterAlias:
		for i := range fields {
			f.readWait(&fields[i])
		}
	case retryAfterNamed:
		f.readNamedWait(x)
	case ageField:
		f.Age = readAge(x.lines[0])
	case fromCacheField:
		f.FromCache = readFlag(x.lines[0])
	case usages:
		f.readListing(fields, (*scanner).usage)
	case quotas:
		f.readListing(fields, (*scanner).quota)
	case hits:
		f.readHits(fields)
	default:
		f.readCounts(fields)
	}
}

// note adds a fault of x to Problems.
func (f *Fields) note(x *Found, why fault) {
	if why.err != nil {
		f.Problems = append(f.Problems, &Error{Field: x.fieldName(), Offset: why.offset, Err: why.err})
	}
}

// readCounts reads the fields of one limit.
func (f *Fields) readCounts(fields []Found) {
	if !f.isEvident(fields) {
		return
	}
	c := f.plain(&fields[0])
	if c == nil && f.isFull() {
		f.noteFull(&fields[0])
		return
	}
	if n := several(fields); n > 0 {
		f.readSeveral(fields, n)
		return
	}
	if c != nil {
		for i := range fields {
			f.note(&fields[i], c.read(fields[i].part, fields[i].lines))
		}
		return
	}
	var n Named
	for i := range fields {
		f.note(&fields[i], n.read(fields[i].part, fields[i].lines))
	}
	_ = f.add(fields, &n, fields[0].label, fields[0].label) // there is room
}

// namesOf finds the names of the fields that tell the parts of a limit.
func namesOf(fields []Found) Names {
	first := fields[0].name
	names := Names{first, first, first}
	for i := len(fields) - 1; i >= 0; i-- {
		switch x := &fields[i]; x.part {
		case partLimit, partWindow:
			names.Limit = x.name
		case partRemaining, partUsed:
			names.Remaining = x.name
		case partReset, partResetAfter:
			names.Reset = x.name
		}
	}
	return names
}

// plain is where the counts of a family go that have no label, nil for all others.
func (f *Fields) plain(x *Found) *Counts {
	switch {
	case x.label != "":
	case x.family == trio:
		return &f.Trio
	case x.family == xRateLimit:
		return &f.XRateLimit
	case x.family == xDashed:
		return &f.XDashed
	}
	return nil
}

// isFull reports whether there are as many limits told by names as there may be.
func (f *Fields) isFull() bool { return len(f.Named) == MaxNamed }

// noteFull notes, of the first field for which there is none, that there is no room.
func (f *Fields) noteFull(x *Found) {
	if !f.crowded {
		f.crowded = true
		f.note(x, fault{-1, ErrTooMany})
	}
}

// add keeps a limit that fields tell by name, if they tell anything, and reports whether
// there was room. What it counts is told by as much of its label as is words.
func (f *Fields) add(fields []Found, n *Named, label, words string) bool {
	if !n.Present {
		return true
	}
	if f.isFull() {
		return false
	}
	m, ok := measureOf(words)
	if !ok && !isThrottler(&fields[0]) {
		m = measure{Requests, Unknown}
	}
	n.Names, n.Label, n.Unit = namesOf(fields), label, m.unit
	for i := range n.Policies {
		n.Policies[i].Unit = m.unit
	}
	if n.Window == Unknown {
		n.Window = m.window
	}
	f.Named = append(f.Named, *n)
	return true
}

// fieldName is the name as the drafts and vendors write it where there is but one, else
// as sent.
func (x *Found) fieldName() string {
	switch x.family {
	case rateLimit:
		return "RateLimit"
	case rateLimitPolicy:
		return "RateLimit-Policy"
	case retryAfter:
		return "Retry-After"
	}
	family := [...]string{trio: "RateLimit-", xRateLimit: "X-RateLimit-", xDashed: "X-Rate-Limit-", fromCacheField: ""}[x.family]
	if family == "" || x.label != "" || len(x.name) <= len(family) {
		return x.name
	}
	return family + http.CanonicalHeaderKey(x.name[len(family):])
}
