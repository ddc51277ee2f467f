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

// Header reads all rate-limit fields of h, and the fields that show whether a cache answered. Field names are compared
// without regard to case, so h may be a map made by hand. Several spellings of one field count as several names for it: of
// a number, the strictest value counts. The result shares its strings with h. Header never panics, does not change h, and
// may be called concurrently.
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

// Find returns the fields of h that [Header] reads, malformed ones included. Pass them to [Fields.Read].
// Most headers have none. The result uses the memory of room: a capacity of [UsualFields] is nearly always enough, so
// that Find allocates nothing. The fields are in the random order of the map, and share their strings and slices with h.
func Find(h http.Header, room []Found) []Found {
	fields, strays := room[:0], 0
	for name, lines := range h {
		var k key
		if mayBeKnown(name) {
			k = identify(name)
		}
		if n := len(fields); k.family != 0 && len(lines) > 0 {
			fields = slices.Grow(fields, 1)[:n+1]
			x := &fields[n] // assigned field by field: a composite literal would be copied
			x.key, x.name, x.lines = k, name, lines
		} else if n := len(name); k.family == 0 && n > 0 && name[n-1]|0x20 == 'g' && isStray(name) { // the last letter first
			strays++
		}
	}
	if strays > 0 {
		fields = addStrays(h, fields)
	}
	return fields
}

// Read fills f with what [Find] found, and sorts fields. It is [Header] without the copy of a large
// result. f must be zero, but for the memory of Rows and Waits.
func (f *Fields) Read(fields []Found) {
	if f.IsUsual = f.readUsual(fields); !f.IsUsual {
		f.readAny(fields)
	}
}

// readAny reads any fields.
func (f *Fields) readAny(fields []Found) {
	slices.SortFunc(fields, Found.compare)
	for len(fields) > 0 {
		x, n := &fields[0], 1
		for n < len(fields) && fields[n].family == x.family && fields[n].label == x.label {
			n++
		}
		f.read(fields[:n])
		fields = fields[n:]
	}
}

const strayPart = "remaining"

// isStray reports whether a name ends in -Remaining, so that it may be a part of a limit. The remaining time is none.
func isStray(name string) bool {
	n := len(name) - len(strayPart)
	return n > 1 && name[n-1] == '-' && len(name) <= longestName &&
		strings.EqualFold(name[n:], strayPart) && !strings.HasSuffix(strings.ToLower(name[:n]), "-time-")
}

// maxStrays is more prefixes of an unknown vendor than any server uses in one response.
const maxStrays = 8

// addStrays adds the fields that have the beginning of their names in common with a stray: the parts of
// its limit. isConsistent then decides whether they are a limit. The prefixes are sorted, so that the
// result does not depend on the order of the map.
func addStrays(h http.Header, fields []Found) []Found {
	var prefixes []string
	for name, lines := range h {
		if isStray(name) && len(lines) > 0 && identify(name).family == 0 {
			prefixes = append(prefixes, strings.ToLower(name[:len(name)-len(strayPart)]))
		}
	}
	slices.Sort(prefixes)
	prefixes = slices.Compact(prefixes)
	for _, prefix := range prefixes[:min(len(prefixes), maxStrays)] {
		label := strings.TrimSuffix(strings.TrimPrefix(prefix, "x-"), "-")
		for name, lines := range h {
			rest, ok := strings.CutPrefix(strings.ToLower(name)+"-", prefix)
			p := parts[strings.TrimSuffix(rest, "-")]
			if rest == "" { // the prefix alone is the name of the quota, as Discogs has it
				p = partLimit
			}
			if ok && p.mayHaveLabel() && p < partWait && len(lines) > 0 {
				fields = append(fields, Found{key{anyPrefix, p, label}, name, lines})
			}
		}
	}
	return fields
}

// compare puts the fields of one limit next to each other, in the order of their parts. So the result does not depend on the
// random order of the map.
func (x Found) compare(y Found) int {
	if x.key == y.key {
		return strings.Compare(x.name, y.name)
	}
	return cmp.Or(cmp.Compare(x.family, y.family), strings.Compare(x.label, y.label), cmp.Compare(x.part, y.part))
}

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
	x := &fields[0]
	isNamed := x.label != "" || dialects[x.family] == limits.DialectNamed
	if !f.isLimit(fields) || isNamed && !f.hasRoom(f.named, x) {
		return
	}
	if n := countPositions(fields); n > 0 {
		f.readPositions(fields, n)
		return
	}
	row := NewRow()
	row.policies = f.policies // for which there is room behind them
	for i := range fields {
		f.note(&fields[i], row.read(fields[i].part, fields[i].lines))
	}
	row.Label = x.label
	f.add(fields, &row)
}

// namesOf returns the names of the fields that report a limit.
func namesOf(fields []Found) Names {
	first := fields[0].name
	names := Names{first, first, first}
	for i := len(fields) - 1; i >= 0; i-- {
		switch x := &fields[i]; x.part {
		case partLimit, partWindow, partWindowMillis:
			names.Limit = x.name
		case partRemaining, partUsed:
			names.Remaining = x.name
		case partReset, partResetMillis, partResetAfter:
			names.Reset = x.name
		}
	}
	return names
}

// hasRoom reports whether there is room for one more beside n limits or waits with labels. It reports ErrTooMany for the
// first field for which there is none.
func (f *Fields) hasRoom(n int, x *Found) bool {
	if n >= MaxNamed && !f.isFull {
		f.isFull = true
		f.note(x, fault{-1, ErrTooMany})
	}
	return n < MaxNamed
}

// add appends the limit that the fields report, unless none of them reported anything. Their label says the quota unit and
// the window.
func (f *Fields) add(fields []Found, row *Row) {
	if row.isEmpty() && len(row.policies) == len(f.policies) {
		return
	}
	x := &fields[0]
	if row.Family = dialects[x.family]; row.Label != "" {
		row.Family = limits.DialectNamed
	}
	if row.Family == limits.DialectNamed {
		if !f.hasRoom(f.named, x) {
			return
		}
		f.named++
	}
	m, _ := measureOf(x.label)
	if m.unit == "percent" && row.Limit == Unknown {
		row.Limit = 100
	}
	row.Names, row.Unit = namesOf(fields), m.unit
	if row.Window == Unknown {
		row.Window = m.window
	}
	list := row.policies[len(f.policies):]
	f.policies, row.policies = row.policies, nil
	labelPolicies(list)
	for i := range list {
		list[i].Family, list[i].Names, list[i].Unit = row.Family, row.Names, row.Unit
	}
	f.Rows = append(append(f.Rows, *row), list...)
}

// isEmpty reports whether no field reported anything.
func (row *Row) isEmpty() bool {
	return row.Limit == Unknown && !row.Unlimited && !row.HasRemaining && row.Used == Unknown && row.Window == Unknown &&
		row.Reset.Form == Absent && row.ResetAfter.Form == Absent && row.Name == ""
}

// fieldName returns the name in its usual spelling.
func (x *Found) fieldName() string {
	return strings.Replace(http.CanonicalHeaderKey(x.name), "Ratelimit", "RateLimit", 1)
}

// isLimit reports whether fields with the same label are a limit. A label that an operator chose needs
// evidence: -Limit or -Remaining with another part, or with a Retry-After of the same name.
// X-RateLimit-Limit-Burst alone may be any number. A label of a window and an unknown word needs -Reset
// or a Retry-After: Kong's X-RateLimit-Limit-Videos-Minute does not count requests. Money is no limit, nor is
// what has fractions under an unknown word.
func (f *Fields) isLimit(fields []Found) bool {
	x, last := &fields[0], &fields[len(fields)-1]
	if x.label == "" && x.family != anyPrefix {
		return true
	}
	m, isKnown := measureOf(x.label)
	isCount := x.part == partLimit || x.part == partRemaining
	switch {
	case strings.HasSuffix(string(m.unit), "money"), !isKnown && x.family != vendor && slices.ContainsFunc(fields, Found.isFraction):
		return false
	case x.family == anyPrefix:
		return isConsistent(fields)
	case x.family == vendor, isCount && (last.part >= partReset && last.part <= partResetAfter || f.hasWait(x.label)):
		return true
	}
	return isKnown || isCount && len(fields) > 1 && m.window == Unknown
}

// isFraction reports whether x is a quota, or what remains of it, that is no whole number.
func (x Found) isFraction() bool {
	d, _ := readDecimal(x.lines[0])
	return x.part <= partRemaining && d.billions > 0
}

// isConsistent reports whether fields under an unknown prefix are a limit: what remains of a quota, or
// until a reset. Without a reset, the prefix must say that it is about limits.
func isConsistent(fields []Found) bool {
	row := NewRow()
	for i := range fields {
		row.read(fields[i].part, fields[i].lines)
	}
	switch {
	case len(fields) < 2 || !row.HasRemaining:
		return countPositions(fields) > 0
	case row.Reset.Form != Absent || row.ResetAfter.Form != Absent:
		return row.Limit == Unknown || row.Limit >= row.Remaining
	}
	isAboutLimits := func(word string) bool { return strings.Contains(fields[0].label, word) }
	return row.Limit > 0 && row.Limit >= row.Remaining &&
		slices.ContainsFunc([]string{"limit", "rate", "quota", "throttle"}, isAboutLimits)
}

// readAge reads the first value of an Age field; 0 if it is not a number of seconds.
func readAge(line string) time.Duration {
	value, _, _ := strings.Cut(line, ",")
	d, f := readPositive(value)
	if f.err != nil || d.billions > 0 {
		return 0
	}
	return d.of(time.Second)
}
