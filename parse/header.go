package parse

import (
	"net/http"
	"slices"
	"strings"
)

// Header reads all rate-limit fields of h, and the fields that show whether a cache answered. Field names
// are compared without regard to case, so h may be a map made by hand. If h has one field in several
// spellings, Header reads the canonical spelling, else the first one in byte order. The result shares its
// strings with h. Header never panics, does not change h, and may be called concurrently.
func Header(h http.Header) (f Fields) {
	var room [UsualFields]Found
	f.Read(Find(h, room[:0]))
	return f
}

// UsualFields is a capacity for [Find] that is enough for nearly all responses.
const UsualFields = 6

// A Found is one field of a header that [Header] reads.
type Found struct {
	key
	name  string
	lines []string
}

// Find returns the fields of h that [Header] reads, malformed ones included. Pass them to [Fields.Read]
// or [Usual.Read]. Most headers have none. The result uses the memory of room: a capacity of
// [UsualFields] is nearly always enough, so that Find allocates nothing. The fields are in the random
// order of the map, and share their strings and slices with h.
func Find(h http.Header, room []Found) []Found {
	fields := room[:0]
	for name, lines := range h {
		if !hasKnownLetter(name) {
			continue
		}
		k := commonest(name)
		if k.family == 0 && mayBeKnown(name) {
			k = identify(name)
		}
		if n := len(fields); k.family != 0 && len(lines) > 0 {
			fields = slices.Grow(fields, 1)[:n+1]
			x := &fields[n] // assigned field by field: a composite literal would be copied
			x.key, x.name, x.lines = k, name, lines
		}
	}
	return fields
}

// Read fills f with what [Find] found, and sorts fields. It is [Header] without the copy of a large
// result. f must be zero.
func (f *Fields) Read(fields []Found) {
	slices.SortFunc(fields, Found.compare)
	fields = slices.CompactFunc(fields, Found.isSameField)
	for len(fields) > 0 {
		n := 1
		for n < len(fields) && fields[n].isSameLimit(&fields[0]) {
			n++
		}
		f.read(fields[:n])
		fields = fields[n:]
	}
}

// compare puts the fields of one limit next to each other, and the preferred spelling of a field first.
// So the result does not depend on the random order of the map.
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

// isSameField reports whether x and y are spellings of one field.
func (x Found) isSameField(y Found) bool { return x.key == y.key && strings.EqualFold(x.name, y.name) }

func (x Found) canonical() bool { return http.CanonicalHeaderKey(x.name) == x.name }

// isSameLimit reports whether x and y are parts of the same limit.
func (x *Found) isSameLimit(y *Found) bool { return x.family == y.family && x.label == y.label }

// read reads the fields of one limit, or one field that stands alone.
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

// note adds the fault, if there is one, to Problems.
func (f *Fields) note(x *Found, why fault) {
	if why.err != nil {
		f.Problems = append(f.Problems, &Error{Field: x.fieldName(), Offset: why.offset, Err: why.err})
	}
}

// readCounts reads the fields of one limit, one field for each part.
func (f *Fields) readCounts(fields []Found) {
	if !f.isLimit(fields) {
		return
	}
	c := f.unlabelled(&fields[0])
	if c == nil && f.isFull() {
		f.noteFull(&fields[0])
		return
	}
	if n := countPositions(fields); n > 0 {
		f.readPositions(fields, n)
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
	_ = f.add(fields, &n, fields[0].label, fields[0].label) // isFull was checked above
}

// namesOf returns the names of the fields that report a limit.
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

// unlabelled returns the Counts of the family of x if x has no label; nil otherwise.
func (f *Fields) unlabelled(x *Found) *Counts {
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

// isFull reports whether Named has as many limits as it may have.
func (f *Fields) isFull() bool { return len(f.Named) == MaxNamed }

// noteFull reports ErrTooMany for the first field for which there is no room.
func (f *Fields) noteFull(x *Found) {
	if !f.isFullNoted {
		f.isFullNoted = true
		f.note(x, fault{-1, ErrTooMany})
	}
}

// add appends a limit to Named, unless no field reported anything. It returns false if there is no room.
// words is the part of the label from which the quota unit and the window are derived.
func (f *Fields) add(fields []Found, n *Named, label, words string) bool {
	if !n.Present {
		return true
	}
	if f.isFull() {
		return false
	}
	m, ok := measureOf(words)
	if !ok && !mayHaveOperatorName(&fields[0]) {
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

// fieldName returns the usual spelling of the name in the drafts or by its vendor. If there is no usual
// spelling, it returns the name as sent.
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
