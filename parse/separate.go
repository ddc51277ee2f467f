package parse

import (
	"cmp"
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
		if row.readRest(lines) {
			return fault{}
		}
		return readLines(lines, readCount, func(n int64) {
			if !row.HasRemaining || n < row.Remaining {
				row.Remaining, row.HasRemaining = n, true
			}
		})
	case partUsed:
		return readLines(lines, readPositive, func(d decimal) { // rounded up and saturated
			row.Used = max(row.Used, d.whole, d.whole+min(d.billions, 1))
		})
	case partReset:
		return row.Reset.read(lines, unknownUnit)
	case partResetMillis:
		return row.ResetAfter.read(lines, time.Millisecond)
	case partResetAfter:
		return row.ResetAfter.read(lines, time.Second)
	case partWindow:
		return row.readWindow(lines, unknownUnit)
	case partWindowMillis:
		return row.readWindow(lines, time.Millisecond)
	case partRefill, partRate, partCost:
		return row.readRate(p, lines)
	case partPolicy: // policies such as 60;w=60, or a name
		if policies := policiesOf(lines); len(policies) > 0 {
			row.policies = append(row.policies, policies[:min(len(policies), mostItems-len(row.policies))]...)
			return fault{}
		}
	}
	return readLines(lines, readName, func(name string) { row.Name = cmp.Or(row.Name, name) })
}

// Read adds to row what a value reports of one part of a limit: its limit, remaining, used, reset, window or name. The value
// is read as that of a header field for the part. A number in a reset that is no epoch counts unit; if unit is 0 or less,
// the package comment says what a number in -Reset means. NewRow makes row. Policies behind a limit are not read. The error
// is one of the Err values, ErrMissing for another part; what is malformed leaves row as it is.
func (row *Row) Read(part, value string, unit time.Duration) error {
	p, lines := parts[part], []string{value}
	switch {
	case p == partNone, p == partWait, p == partWaitMillis:
		return ErrMissing
	case p == partReset && unit > 0:
		return row.ResetAfter.read(lines, unit).err
	}
	return row.read(p, lines).err
}

// readRest reads a -Remaining such as 59/60: 59 of 60 units remain.
func (row *Row) readRest(lines []string) bool {
	if len(lines) != 1 || len(lines[0]) > MaxText || !strings.Contains(lines[0], "/") {
		return false
	}
	x := readRatio(trim(lines[0]))
	if x.Used == Unknown || x.Used > x.Limit {
		return false
	}
	row.Remaining, row.HasRemaining = x.Used, true
	if row.Limit == Unknown {
		row.Limit = x.Limit
	}
	return true
}

// readRate reads a rate per second, a refill rate or the cost of a request.
func (row *Row) readRate(p part, lines []string) fault {
	rate := math.Inf(1)
	f := readLines(lines, readRate, func(r float64) { rate = min(rate, r) })
	switch {
	case math.IsInf(rate, 1):
	case p == partCost:
		row.inRequests(int64(min(rate, 1<<62)))
	case p == partRefill:
		row.setRefillWindow(rate)
	default: // Amazon's 0.0451 requests per second are 1 request per 22.17 s
		quota := math.Round(min(max(rate, 1), math.MaxInt32))
		row.Limit, row.Window = int64(quota), seconds(quota/rate)
	}
	return f
}

// readWindow reads the length of a window. A window of 0 is an error.
func (row *Row) readWindow(lines []string, unit time.Duration) fault {
	var w When
	f := w.read(lines, unit)
	if w.After > 0 {
		row.Window, row.IsPeriod = max(row.Window, w.After), row.IsPeriod || w.Bare
	} else if w.Form != Absent {
		f.note(0, ErrRange)
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
	interval := time.Second
	if row.Window != Unknown {
		interval = row.Window
	}
	if row.Limit > 0 {
		row.Window, row.IsPeriod = seconds(interval.Seconds()*float64(row.Limit)/rate), false
	}
}

// inRequests converts a quota in tokens into a quota in requests, if each request costs several tokens. With Spring
// Cloud Gateway, 60 tokens per request are the way to configure less than one request per second.
func (row *Row) inRequests(cost int64) {
	cost = max(cost, 1)
	if row.Limit > 0 {
		row.Limit = max(row.Limit/cost, 1)
	}
	if row.Remaining > 0 {
		row.Remaining /= cost
	}
}

// seconds converts a number of seconds. The result is at least a nanosecond and at most 146 years.
func seconds(s float64) time.Duration {
	return time.Duration(min(max(s*float64(time.Second), 1), 1<<62))
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
	limits, isGrouped := fields[0].numbers()
	n := len(limits)
	if n < 2 || n > maxPositions || len(slices.Compact(slices.Clone(limits))) == 1 {
		return 0
	}
	for i := range fields {
		numbers, isOneNumber := fields[i].numbers()
		if p := fields[i].part; (p == partRemaining || p == partUsed) && len(numbers) == n && (!isGrouped || !isOneNumber) {
			return n
		}
	}
	return 0
}

// maxPositions is more limits than any server lists.
const maxPositions = 8

// numbers returns the numbers that a field lists; none if the field has anything else. isGrouped means that they could be
// one number with thousands separators: groups of three digits, which have no white space before them.
func (x *Found) numbers() (numbers []string, isGrouped bool) {
	if len(x.lines) != 1 || len(x.lines[0]) > maxPositions*MaxDigits || !strings.Contains(x.lines[0], ",") {
		return nil, false
	}
	isGrouped = true
	numbers = strings.Split(trim(x.lines[0]), ",")
	for i, text := range numbers {
		numbers[i] = trim(text)
		isGrouped = isGrouped && (len(text) == 3 && text[0] > ' ' || i == 0 && len(text) < 3)
		if s := (scanner{s: numbers[i]}); s.while(isDigit) == "" || !s.eof() {
			return nil, false
		}
	}
	return numbers, isGrouped
}

func trim(value string) string { return strings.Trim(value, " \t") }

// readPositions reads n limits. The quota of each limit becomes a part of its label. A quota of 0 beside
// another one is not metered: Brave sends 50, 0 if a plan has no monthly quota. A field with another number of values is
// ignored.
func (f *Fields) readPositions(fields []Found, n int) {
	row := NewRow()
	row.policies = f.policies
	rows := slices.Repeat([]Row{row}, n)
	for i := range fields {
		x, why := &fields[i], fault{}
		switch numbers, _ := x.numbers(); {
		case x.part == partPolicy: // such as 50;w=1, 1000;w=3600
			for j, p := range policiesOf(x.lines) {
				if j < n && p.Limit == rows[j].Limit {
					rows[j].Window = p.Window
				}
			}
		case len(numbers) == n:
			for j := range rows {
				why.note(-1, rows[j].read(x.part, numbers[j:j+1]).err)
			}
		case x.part.mayHaveLabel():
			why.note(-1, ErrConflict)
		}
		f.note(x, why)
	}
	quotas, _ := fields[0].numbers()
	for i := range rows {
		if row := &rows[i]; row.Limit != 0 {
			row.Position, row.Label = i, strings.TrimPrefix(fields[0].label+" "+quotas[i], " ")
			f.add(fields, row)
		}
	}
}
