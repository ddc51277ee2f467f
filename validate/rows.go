package validate

import (
	"cmp"
	"time"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/parse"
)

// family reads the rows of one dialect. The policies come last, those of all fields that belong to no limit.
func (r *reader) family(d limits.Dialect) {
	if r.earlier = len(r.Limits); d == limits.DialectPolicy {
		r.earlier = 0 // no limit has their numbers, else they would belong to it
	}
	n := 0
	for i := range r.fields.Rows {
		row := &r.fields.Rows[i]
		if isPolicy := d == limits.DialectPolicy; row.IsPolicy != isPolicy || row.Family != d && !isPolicy {
			continue
		}
		if n++; n > MaxLimits {
			r.problem(row.Names.Remaining, Crowded)
			break
		}
		switch {
		case row.IsPolicy && (row.Family == joined || row.Limit == 0): // a policy of 0 units is not metered
			continue
		case row.Unlimited && !r.isRefused: // a negative limit on a refusal may be a mistake
			r.problem(row.Names.Limit, Placeholder)
			continue
		}
		l := r.limitOf(row)
		if !row.IsPolicy {
			r.complete(i, &l)
			r.addDocumented(row, &l)
		}
		if row.Family <= limits.DialectDraft07 || row.Family == limits.DialectPolicy {
			l.PartitionKey = cmp.Or(l.PartitionKey, r.fields.Partition)
		}
		r.add(row, &l)
	}
}

// joined is the Family of a policy that belongs to a limit.
const joined limits.Dialect = 0

// complete adds to l, the limit of a row, what its policies say: those behind its quota, then those of RateLimit-Policy.
// Of several policies with its name, the one whose numbers and key fit comes first.
func (r *reader) complete(i int, l *limits.Reported) {
	rows := r.fields.Rows
	row := &rows[i]
	for n := range 2 * len(rows) {
		p := &rows[(i+n)%len(rows)]
		isBest := fits(p, l) && p.Key == cmp.Or(l.PartitionKey, r.fields.Partition)
		if !p.IsPolicy || n < len(rows) && !isBest || !allows(p, row, l) {
			continue
		}
		l.Policy, l.PartitionKey, l.Unit = cmp.Or(l.Policy, p.Name, p.Label), cmp.Or(l.PartitionKey, p.Key), p.Unit
		l.Quota, l.Window = max(l.Quota, p.Limit), max(l.Window, p.Window)
		p.Family, row.Names.Limit = joined, p.Names.Limit
	}
}

// contradicts reports whether the policy p and l have different quotas or windows.
func contradicts(p *parse.Row, l *limits.Reported) bool {
	return !agree(l.Quota, p.Limit, 0) || !agree(l.Window, p.Window, 0)
}

// fits reports whether what l reports could be left under the policy p.
func fits(p *parse.Row, l *limits.Reported) bool {
	return within(l.Reset, p.Window) && (l.Quota != Unknown || l.Remaining <= p.Limit)
}

// allows reports whether p is the policy of l, the limit of a row: it has the name of l, else the quota of l. In RateLimit the
// name decides.
func allows(p, row *parse.Row, l *limits.Reported) bool {
	isItem := row.Family == limits.DialectRateLimit
	switch {
	case contradicts(p, l), l.Unit != p.Unit && (!isItem || l.Quota != Unknown):
		return false
	case p.Name != "" && (isItem || p.Name == l.Policy):
		return p.Name == l.Policy && agreeNames(p.Key, l.PartitionKey)
	}
	return hasQuotaOf(p, row, l)
}

// hasQuotaOf reports whether l, the limit of a row, has the quota of p. If there is only one policy, it is also that of a
// limit without a quota and without a label, if it fits.
func hasQuotaOf(p, row *parse.Row, l *limits.Reported) bool {
	isOnly, hasQuota := p.Label == "" && row.Label == "", l.Quota != Unknown
	isFromThere := p.Names == row.Names || p.Family == limits.DialectPolicy
	isOther := l.Window != Unknown && !agreeNames(p.Name, l.Policy)
	return isFromThere && !isOther && (isOnly || hasQuota) && (isOnly && hasQuota || fits(p, l))
}

// agreeNames reports whether a and b could be one name. "" is not known.
func agreeNames(a, b string) bool { return a == "" || b == "" || a == b }

// limitOf returns the limit in a row.
func (r *reader) limitOf(row *parse.Row) (l limits.Reported) {
	l.Policy, l.PartitionKey, l.Unit = cmp.Or(row.Name, row.Label), row.Key, row.Unit
	l.Quota, l.Remaining, l.Window, l.Cost = row.Limit, r.remaining(row), r.window(row), max(row.Cost, 0)
	l.Reset = r.delay(row.Names.Reset, &row.ResetAfter) // preferred to -Reset: it needs no clock and has fractions
	if row.ResetAfter.Form == parse.Absent {
		l.Reset = r.reset(row)
	}
	switch {
	case l.Quota == Unknown && row.Used >= 0 && l.Remaining >= 0 && row.Names.Limit == row.Names.Remaining: // no -Limit was sent
		l.Quota = saturated(row.Used, l.Remaining)
	case row.IsPeriod && l.Quota == Unknown && l.Reset != Unknown && agree(l.Window, l.Reset, slack):
		l.Window = Unknown // bitFlyer sends the time to the reset as the period
	}
	return l
}

// longDoubt is the longest time to a reset that a number without a unit reports: 60000 may be 60,000 seconds or a minute.
// Longer: clients of servers that count milliseconds stop for hours. Shorter: windows of an hour have to be measured.
const longDoubt = time.Hour

// reset returns the time to a -Reset.
func (r *reader) reset(row *parse.Row) time.Duration {
	if !row.Reset.Bare {
		return r.delay(row.Names.Reset, &row.Reset)
	}
	return r.profile.resetDelay(max(row.Reset.After, 0))
}

// isDoubtful reports whether the reset of l, the limit of a row, may count milliseconds: no window and no profile explains it.
func (r *reader) isDoubtful(row *parse.Row, l *limits.Reported) bool {
	isExplained := r.profile.ResetUnit > 0 || l.Window != Unknown && within(l.Reset, l.Window)
	return r.doubts && row.Reset.Bare && row.ResetAfter.Form == parse.Absent && l.Reset > longDoubt && !isExplained
}

// window returns the length of the window. Thousands of seconds that are no days may be milliseconds, if they have no unit.
func (r *reader) window(row *parse.Row) time.Duration {
	isThousands := row.Window%(1000*time.Second) == 0 && row.Window%(24*time.Hour) != 0
	if row.IsPeriod && row.Window > longDoubt && isThousands {
		r.problem(row.Names.Limit, Doubted)
		return Unknown
	}
	return row.Window
}

// saturated returns the sum of two non-negative numbers, saturated.
func saturated(a, b int64) int64 {
	if sum := a + b; sum >= 0 {
		return sum
	}
	return max(a, b)
}

// remaining returns the remaining quota. A negative number on a refusal means that the client exceeded its quota, so 0
// remains. On any other response it means that there is no limit, or that the server miscounted.
func (r *reader) remaining(row *parse.Row) int64 {
	switch {
	case row.HasRemaining && row.Remaining >= 0:
		return row.Remaining
	case row.HasRemaining && r.isRefused:
		return 0
	case row.HasRemaining:
		r.problem(row.Names.Remaining, Placeholder)
		return Unknown
	case row.Used >= 0 && row.Limit >= 0:
		return max(row.Limit-row.Used, 0)
	}
	return Unknown
}
