package parse

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/headway-go/headway/limits"
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

// Find returns the fields of h that [Header] reads, malformed ones included. Pass them to [Fields.Read] or [Usual].
// Most headers have none. The result uses the memory of room: a capacity of [UsualFields] is nearly always enough, so
// that Find allocates nothing. The fields are in the random order of the map, and share their strings and slices with h.
func Find(h http.Header, room []Found) []Found {
	fields, strays := room[:0], 0
	for name, lines := range h {
		var k key
		if mayBeKnown(name) {
			var ok bool
			if k, ok = commonest[name]; !ok {
				k = identify(name)
			}
		}
		if k.family == 0 {
			if n := len(name); n > len(strayPart) && name[n-1]|0x20 == 'g' && isStray(name) { // the last letter first
				strays++
			}
			continue
		}
		if n := len(fields); len(lines) > 0 {
			fields = slices.Grow(fields, 1)[:n+1]
			x := &fields[n] // assigned field by field: a composite literal would be copied
			x.key, x.name, x.lines = k, name, lines
		}
	}
	if strays > 0 {
		fields = addStrays(h, fields)
	}
	return fields
}

const strayPart = "remaining"

// isStray reports whether a name that is in no table ends in -Remaining, so that it may be a part of a limit. The remaining
// time is none.
func isStray(name string) bool {
	n := len(name) - len(strayPart)
	return n > 1 && name[n-1] == '-' && len(name) <= longestName && strings.EqualFold(name[n:], strayPart) &&
		!strings.HasSuffix(strings.ToLower(name[:n]), "-time-")
}

// maxStrays is more prefixes of an unknown vendor than any server uses in one response.
const maxStrays = 8

// addStrays adds the fields that have the beginning of their names in common with a stray: the parts of
// its limit. isConsistent then decides whether they are a limit. The prefixes are sorted, so that the
// result does not depend on the order of the map.
func addStrays(h http.Header, fields []Found) []Found {
	var found []string
	for name, lines := range h {
		if isStray(name) && len(lines) > 0 && identify(name).family == 0 {
			found = append(found, strings.ToLower(name[:len(name)-len(strayPart)]))
		}
	}
	slices.Sort(found)
	found = slices.Compact(found)
	for _, prefix := range found[:min(len(found), maxStrays)] {
		label := strings.TrimSuffix(strings.TrimPrefix(prefix, "x-"), "-")
		for name, lines := range h {
			p := partUnder(prefix, name)
			if p != partNone && len(lines) > 0 {
				fields = append(fields, Found{key{anyPrefix, p, label}, name, lines})
			}
		}
	}
	return fields
}

// partUnder returns the part of a limit whose names have the prefix, which is in lower case and ends in a
// hyphen. The prefix alone is the name of the quota, as Discogs has it.
func partUnder(prefix, name string) part {
	n := len(prefix)
	switch {
	case len(name) == n-1 && strings.EqualFold(name, prefix[:n-1]):
		return partLimit
	case len(name) <= n || len(name) > longestName || !strings.EqualFold(name[:n], prefix):
		return partNone
	}
	if p := partOf([]byte(strings.ToLower(name[n:]))); p.mayHaveLabel() && p != partWait && p != partWaitMillis {
		return p
	}
	return partNone
}

// Read fills f with what [Find] found, and sorts fields. It is [Header] without the copy of a large
// result. f must be zero, but for the memory of Rows and Waits.
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
	if x.key != y.key {
		return cmp.Or(cmp.Compare(x.family, y.family), strings.Compare(x.label, y.label), cmp.Compare(x.part, y.part))
	}
	return cmp.Or(
		strings.Compare(strings.ToLower(x.name), strings.ToLower(y.name)),
		cmp.Compare(x.spelling(), y.spelling()), strings.Compare(x.name, y.name),
	)
}

// spelling is 0 for the canonical one and 1 for the others.
func (x Found) spelling() int {
	if http.CanonicalHeaderKey(x.name) == x.name {
		return 0
	}
	return 1
}

// isSameField reports whether x and y are spellings of one field.
func (x Found) isSameField(y Found) bool { return x.key == y.key && strings.EqualFold(x.name, y.name) }

// isSameLimit reports whether x and y are parts of the same limit.
func (x *Found) isSameLimit(y *Found) bool { return x.family == y.family && x.label == y.label }

// read reads the fields of one limit, or one field that stands alone.
func (f *Fields) read(fields []Found) {
	x := &fields[0]
	switch x.family {
	case rateLimit, rateLimitPolicy:
		f.readItems(fields)
	case rateLimitPartition:
		var why fault
		f.Partition, why = readPartition(x.lines)
		f.note(x, why)
	case retryAfterFine, retryAfter, retryAfterAlias, retryAfterNamed:
		f.readWaits(fields)
	case ageField:
		f.Age = readAge(x.lines[0])
	case fromCacheField:
		f.FromCache, _ = strconv.ParseBool(x.lines[0]) // 1 in caches inside a client; false on an error
	default:
		f.readLimit(fields)
	}
}

// readItems reads the first of the fields that has an item, such as Beta-RateLimit if RateLimit is malformed.
func (f *Fields) readItems(fields []Found) {
	before, family := len(f.Rows), limits.DialectRateLimit
	if fields[0].family == rateLimitPolicy {
		family = limits.DialectPolicy
	}
	for i := 0; i < len(fields) && len(f.Rows) == before; i++ {
		x := &fields[i]
		f.note(x, readItems(family, x.lines, &f.Rows))
		if family == limits.DialectPolicy {
			labelPolicies(f.Rows[before:])
		}
		for j := range f.Rows[before:] {
			f.Rows[before+j].Names = Names{x.name, x.name, x.name}
		}
	}
}

// note adds the fault, if there is one, to Problems.
func (f *Fields) note(x *Found, why fault) {
	if why.err != nil {
		f.Problems = append(f.Problems, &Error{Field: x.fieldName(), Offset: why.offset, Err: why.err})
	}
}

// readLimit reads the fields of one limit, one field for each part.
func (f *Fields) readLimit(fields []Found) {
	if !f.isLimit(fields) {
		return
	}
	if n := countPositions(fields); n > 0 {
		f.readPositions(fields, n)
		return
	}
	row := newRow()
	row.policies = f.policies // for which there is room behind them
	for i := range fields {
		x := &fields[i]
		f.note(x, row.read(x.part, x.lines))
	}
	label := fields[0].label
	if !f.add(fields, &row, label, label) {
		f.noteFull(&fields[0])
	}
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
		case partReset, partResetMillis, partResetAfter:
			names.Reset = x.name
		}
	}
	return names
}

// isFull reports whether there are as many limits with labels as there may be.
func (f *Fields) isFull() bool { return f.named == MaxNamed }

// noteFull reports ErrTooMany for the first field for which there is no room.
func (f *Fields) noteFull(x *Found) {
	if !f.isFullNoted {
		f.isFullNoted = true
		f.note(x, fault{-1, ErrTooMany})
	}
}

// add appends a limit, unless no field reported anything. It returns false if there is no room. words is the part of the
// label from which the quota unit and the window are derived.
func (f *Fields) add(fields []Found, row *Row, label, words string) bool {
	if !row.isPresent {
		return true
	}
	if row.Family = fields[0].family.dialect(); label != "" || row.Family == 0 {
		if f.isFull() {
			return false
		}
		f.named++
		row.Family = limits.DialectNamed
	}
	m, ok := measureOf(words)
	if !ok && !mayHaveOperatorName(&fields[0]) {
		m = measure{Requests, Unknown}
	}
	if m.unit == "percent" && row.Limit == Unknown {
		row.Limit = 100
	}
	row.Names, row.Label, row.Unit = namesOf(fields), label, m.unit
	if row.Window == Unknown {
		row.Window = m.window
	}
	var list []Row
	if n := len(f.policies); len(row.policies) > n {
		f.policies, list = row.policies, row.policies[n:]
	}
	labelPolicies(list)
	for i := range list {
		list[i].Family, list[i].Names, list[i].Unit = row.Family, row.Names, row.Unit
	}
	row.policies = nil
	f.Rows = append(append(f.Rows, *row), list...)
	return true
}

// fieldName returns the spelling of the name in the drafts. Other names stay as sent.
func (x *Found) fieldName() string {
	switch x.family {
	case rateLimit, rateLimitPolicy, rateLimitPartition, retryAfter, trio, xRateLimit, xDashed:
		if x.label == "" {
			return strings.Replace(http.CanonicalHeaderKey(x.name), "Ratelimit", "RateLimit", 1)
		}
	}
	return x.name
}

// isLimit reports whether fields with the same label are a limit. A label that an operator chose needs
// evidence: -Limit or -Remaining with another part, or with a Retry-After of the same name.
// X-RateLimit-Limit-Burst alone may be any number. A label of a window and an unknown word needs -Reset
// or a Retry-After: Kong's X-RateLimit-Limit-Videos-Minute does not count requests. Money is no limit, nor is
// what has fractions under an unknown word.
func (f *Fields) isLimit(fields []Found) bool {
	x := &fields[0]
	m, isKnown := measureOf(x.label)
	switch {
	case strings.HasSuffix(string(m.unit), "money"), !isKnown && slices.ContainsFunc(fields, Found.isAmount):
		return false
	case x.family == anyPrefix:
		return isConsistent(fields)
	case x.label == "" || !mayHaveOperatorName(x):
		return true
	}
	isCount := x.part == partLimit || x.part == partRemaining
	if isCount && (fields[len(fields)-1].isTime() || f.hasWait(x.label)) {
		return true
	}
	return isKnown || isCount && len(fields) > 1 && m.window == Unknown
}

// mayHaveOperatorName reports whether the label of x may be a name that an operator chose.
func mayHaveOperatorName(x *Found) bool {
	return x.family.dialect() != 0 || x.family == anyPrefix
}

// isAmount reports whether x is a quota of an operator, or what remains of it, that is no whole number.
func (x Found) isAmount() bool {
	if x.label == "" || !mayHaveOperatorName(&x) || x.part > partRemaining {
		return false
	}
	d, _ := readDecimal(x.lines[0])
	return d.billions > 0
}

// isTime reports whether x says when there is more of the quota.
func (x *Found) isTime() bool { return x.part >= partReset && x.part <= partResetAfter }

// isConsistent reports whether fields under an unknown prefix are a limit: what remains of a quota, or
// until a reset. Without a reset, the prefix must say that it is about limits.
func isConsistent(fields []Found) bool {
	c := newRow()
	for i := range fields {
		c.read(fields[i].part, fields[i].lines)
	}
	if len(fields) < 2 || !c.HasRemaining {
		return countPositions(fields) > 0
	}
	if c.Reset.Form != Absent || c.ResetAfter.Form != Absent {
		return c.Limit == Unknown || c.Limit >= c.Remaining
	}
	isAboutLimits := func(word string) bool { return strings.Contains(fields[0].label, word) }
	return c.Limit > 0 && c.Limit >= c.Remaining && slices.ContainsFunc([]string{"limit", "rate", "quota", "throttle"}, isAboutLimits)
}

// maxAge is the greatest Age in seconds (RFC 9111 §1.2.2).
const maxAge = 1 << 31

// readAge reads the first value of an Age field; 0 if it is not a number of seconds.
func readAge(line string) time.Duration {
	value, _, _ := strings.Cut(line, ",")
	s := scanner{s: trim(value)}
	d := s.magnitude()
	if s.err != nil || strings.Trim(s.s, "0123456789") != "" {
		return 0
	}
	return time.Duration(min(d.whole, maxAge)) * time.Second
}
