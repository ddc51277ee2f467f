package parse

import (
	"math"
	"slices"
	"strings"
	"time"
)

// read adds one field of the limit to row. If two names are the same part, the strictest value counts, as
// for several lines.
func (row *Row) read(p part, lines []string) fault {
	switch p {
	case partLimit:
		return row.readLimit(lines)
	case partRemaining:
		return row.readRemaining(lines)
	case partUsed:
		return row.readUsed(lines)
	case partReset, partResetMillis, partResetAfter, partWindow, partWindowMillis:
		return row.readTime(p, lines)
	case partRefill, partRate, partCost:
		return row.readRate(p, lines)
	case partPolicy:
		return row.readPolicy(lines)
	}
	return row.readName(lines)
}

// Read adds to row what a value reports of one part of a limit: its limit, remaining, used, reset, window or name. The value
// is read as that of a header field for the part. A number in a reset that is no epoch counts unit; if unit is 0 or less,
// the package comment says what a number in -Reset means. The numbers of row that are not known must be Unknown. The error
// is one of the Err values; what is malformed leaves row as it is.
func (row *Row) Read(part, value string, unit time.Duration) error {
	p, lines := partOf([]byte(part)), []string{value}
	switch {
	case p == partNone:
		return ErrMissing
	case p == partReset && unit > 0:
		return row.readWhen(&row.ResetAfter, lines, unit).err
	}
	return row.read(p, lines).err
}

func (row *Row) readTime(p part, lines []string) fault {
	switch p {
	case partReset:
		return row.readWhen(&row.Reset, lines, unknownUnit)
	case partResetMillis:
		return row.readWhen(&row.ResetAfter, lines, time.Millisecond)
	case partResetAfter:
		return row.readWhen(&row.ResetAfter, lines, time.Second)
	case partWindow:
		return row.readWindow(lines, time.Second)
	}
	return row.readWindow(lines, time.Millisecond)
}

func (row *Row) readUsed(lines []string) fault {
	n, ok, f := readUsed(lines)
	if ok {
		row.isPresent = true
		row.Used = max(row.Used, n)
	}
	return f
}

// readPolicy reads policies such as 60;w=60, or a name.
func (row *Row) readPolicy(lines []string) fault {
	if policies := policiesOf(lines); len(policies) > 0 {
		row.isPresent = true
		row.policies = append(row.policies, policies...)
		return fault{}
	}
	return row.readName(lines)
}

func (row *Row) readRemaining(lines []string) fault {
	if row.readRest(lines) {
		return fault{}
	}
	n, ok, f := readRemaining(lines)
	if ok {
		row.isPresent = true
		if row.HasRemaining {
			n = min(n, row.Remaining)
		}
		row.Remaining, row.HasRemaining = n, true
	}
	return f
}

// readRest reads a -Remaining such as 59/60: 59 of 60 units remain.
func (row *Row) readRest(lines []string) bool {
	if len(lines) != 1 || len(lines[0]) > longestSimple || !strings.Contains(lines[0], "/") {
		return false
	}
	x := readRatio(trim(lines[0]))
	if x.Used == Unknown || x.Used > x.Limit {
		return false
	}
	row.isPresent = true
	row.Remaining, row.HasRemaining = x.Used, true
	if row.Limit == Unknown {
		row.Limit = x.Limit
	}
	return true
}

// readRate reads a rate per second, a refill rate or the cost of a request.
func (row *Row) readRate(p part, lines []string) fault {
	rate, ok, f := singleton(lines, readRate, func(a, b float64) float64 { return min(a, b) })
	switch {
	case !ok:
	case p == partCost:
		row.inRequests(int64(min(rate, 1<<62)))
	case p == partRefill:
		row.isPresent = true
		row.setRefillWindow(rate)
	default: // Amazon's 0.0451 requests per second are 1 request per 22.17 s
		row.isPresent = true
		quota := math.Round(min(max(rate, 1), math.MaxInt32))
		row.Limit, row.Window = int64(quota), seconds(quota/rate)
	}
	return f
}

// readWindow reads the length of a window. A window of 0 is an error.
func (row *Row) readWindow(lines []string, unit time.Duration) fault {
	w, f := longest(lines, unit)
	if w.After > 0 {
		row.Window, row.IsPeriod, row.isPresent = max(row.Window, w.After), true, true
	} else if w.Form != Absent {
		f.note(0, ErrRange)
	}
	return f
}

func (row *Row) readWhen(out *When, lines []string, unit time.Duration) fault {
	w, f := longest(lines, unit)
	if w.Form != Absent {
		row.isPresent = true
		*out = out.longer(w)
	}
	return f
}

// readName reads a name. The first field that has one counts.
func (row *Row) readName(lines []string) fault {
	text, ok, f := singleton(lines, readName, func(first, _ string) string { return first })
	if ok {
		row.isPresent = true
		if row.Name == "" {
			row.Name = text
		}
	}
	return f
}

// readRate reads a number above 0.
func readRate(value string) (float64, fault) {
	d, f := readPositive(value)
	if d == (decimal{}) {
		f.note(0, ErrRange)
	}
	return float64(d.whole) + float64(d.billions)/1e9, f
}

// setRefillWindow sets Window to the time in which the whole quota refills. rate is the number of units
// that come back in each Window that was sent, else in each second. Jira Data Center sends 10 tokens per
// 60 s and a bucket of 50: Window becomes 300 s. Spring Cloud Gateway sends tokens per second.
func (row *Row) setRefillWindow(rate float64) {
	if row.Limit <= 0 {
		return
	}
	interval := time.Second
	if row.Window > 0 {
		interval = row.Window
	}
	row.Window = seconds(interval.Seconds() * float64(row.Limit) / rate)
}

// inRequests converts a quota in tokens into a quota in requests, if each request costs several tokens. With Spring
// Cloud Gateway, 60 tokens per request are the way to configure less than one request per second.
func (row *Row) inRequests(cost int64) {
	if cost <= 1 {
		return
	}
	if row.Limit > 0 {
		row.Limit = max(row.Limit/cost, 1)
	}
	if row.HasRemaining && row.Remaining > 0 {
		row.Remaining /= cost
	}
}

// seconds converts a number of seconds. The result saturates and is at least a nanosecond.
func seconds(s float64) time.Duration {
	if s >= math.MaxInt64/float64(time.Second) {
		return math.MaxInt64
	}
	return max(time.Duration(s*float64(time.Second)), 1)
}

// countPositions returns how many limits the fields report by position, as Strava's fields do:
//
//	X-RateLimit-Limit: 600,30000
//	X-RateLimit-Usage: 314,27536
//
// It returns 0 if the fields report one limit. For several limits, the numbers in -Limit must differ, and -Remaining or
// -Used must have as many numbers. Several numbers in -Limit alone may be one number with a thousands separator, or one
// number that a proxy repeated. Policies in -Limit have parameters, so they are not plain numbers.
func countPositions(fields []Found) int {
	if fields[0].part != partLimit {
		return 0
	}
	limits := fields[0].numbers()
	n := len(limits)
	if n < 2 || n > maxPositions || allEqual(limits) {
		return 0
	}
	isOne := isGrouped(limits)
	for i := range fields {
		p, numbers := fields[i].part, fields[i].numbers()
		if (p == partRemaining || p == partUsed) && len(numbers) == n && (!isOne || !isGrouped(numbers)) {
			return n
		}
	}
	return 0
}

// maxPositions is more limits than any server lists.
const maxPositions = 8

// numbers returns the numbers that a field lists, with the white space around them. It returns nil if the
// field has anything else.
func (x *Found) numbers() []string {
	if len(x.lines) != 1 || len(x.lines[0]) > maxPositions*MaxDigits ||
		!strings.Contains(x.lines[0], ",") || strings.Trim(x.lines[0], "0123456789, \t") != "" {
		return nil
	}
	values := strings.Split(x.lines[0], ",")
	for _, v := range values {
		if v = trim(v); v == "" || strings.ContainsAny(v, " \t") {
			return nil
		}
	}
	return values
}

func trim(value string) string { return strings.Trim(value, " \t") }

func allEqual(values []string) bool {
	return !slices.ContainsFunc(values, func(v string) bool { return trim(v) != trim(values[0]) })
}

// isGrouped reports whether values could be one number with thousands separators, which have no white space behind them.
func isGrouped(values []string) bool {
	for _, v := range values[1:] {
		if len(v) != 3 || v[0] == ' ' || v[0] == '\t' {
			return false
		}
	}
	return len(trim(values[0])) <= 3
}

// readPositions reads n limits. The quota of each limit becomes a part of its label. A quota of 0 beside
// another one is not metered: Brave sends 50, 0 if a plan has no monthly quota.
func (f *Fields) readPositions(fields []Found, n int) {
	limits := slices.Repeat([]Row{newRow()}, n)
	for i := range fields {
		f.note(&fields[i], fields[i].readEach(limits))
	}
	label := fields[0].label
	for i, quota := range fields[0].numbers() {
		limits[i].Position = i
		if limits[i].Limit == 0 {
			continue
		}
		if !f.add(fields, &limits[i], strings.TrimPrefix(label+" "+trim(quota), " "), label) {
			f.noteFull(&fields[0])
		}
	}
}

// readEach adds one value of the field to each limit. A field with another number of values is ignored.
func (x *Found) readEach(limits []Row) (first fault) {
	if x.part == partPolicy {
		x.readWindows(limits)
		return first
	}
	values := x.numbers()
	if len(values) != len(limits) {
		if x.part.mayHaveLabel() {
			first.note(-1, ErrConflict)
		}
		return first
	}
	base := 0
	for i := range limits {
		first.note(limits[i].read(x.part, values[i:i+1]).inLineAt(base))
		base += len(values[i]) + len(",")
	}
	return first
}

// readWindows sets the windows of limits from policies in the same order, such as 50;w=1, 1000;w=3600.
func (x *Found) readWindows(limits []Row) {
	policies := policiesOf(x.lines)
	if len(policies) != len(limits) {
		return
	}
	for i, p := range policies {
		if p.Limit == limits[i].Limit {
			limits[i].Window = p.Window
		}
	}
}
