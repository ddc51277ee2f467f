package parse

import (
	"time"

	"github.com/headway-go/headway/limits"
)

// readRateLimit reads the list of drafts 08 and later (draft-ietf-httpapi-ratelimit-headers-10 §4), or the dictionary of
// draft 07, which becomes one item without a name.
//
// An item is left out if a parameter has the wrong type or a negative number, or if r and t are both missing. The other
// items are kept. After a syntax error the list is empty. The fault is about the first part that was left out.
func readRateLimit(lines []string, out *[]Row) fault {
	s := scan(lines)
	dropped := s.items(out, false)
	if s.err == nil {
		return dropped
	}
	d := scan(lines)
	dropped = d.draft07(out)
	switch {
	case d.err == nil:
		return dropped
	case d.offset > s.offset: // report the error of the grammar that read further
		return d.fault
	}
	return s.fault
}

// readRateLimitPolicy reads the policies of any draft (draft-ietf-httpapi-ratelimit-headers-10 §3): with a name since
// draft 08, quotas such as 100;w=60 before it.
//
// A policy is left out if a parameter has the wrong type, if a number is out of range, or if the required
// number is missing: the quota, or the window before draft 08. The other policies are kept. After a
// syntax error the list is empty. The fault is about the first part that was left out.
func readRateLimitPolicy(lines []string, out *[]Row) fault {
	s := scan(lines)
	dropped := s.items(out, true)
	if s.err != nil {
		return s.fault
	}
	return dropped
}

// mostItems is how many members of a list become rows: one more than package validate takes. More: hostile lists take memory.
const mostItems = 65

// items reads a list (RFC 9651 §4.2.1) into out; after a syntax error nothing. An item whose types or numbers the field
// does not allow is left out; dropped is about the first such item.
func (s *scanner) items(out *[]Row, arePolicies bool) (dropped fault) {
	before := len(*out)
	for n := 0; s.member(n); n++ {
		var x item
		start, row := s.off, newRow()
		s.item(&x)
		if arePolicies {
			x.policy(&row)
		} else {
			x.serviceLimit(&row)
		}
		if x.err == nil && n < mostItems {
			*out = append(*out, row)
		}
		dropped.note(start, x.err)
	}
	if s.err != nil {
		*out = (*out)[:before]
	}
	return dropped
}

func (s *scanner) item(x *item) {
	x.bare[atValue] = s.value()
	s.params(x, false)
}

// An item has the value of an item and the parameters that the drafts define for any field. The types are checked after
// the whole item is read: if a parameter is repeated the last one counts, whatever its type (RFC 9651 §4.2.3.2).
type item struct {
	bare [atOther + 1]bare
	err  error // the first one
}

// The places in an item.
const (
	atValue = iota
	atRemaining
	atReset
	atQuota
	atWindow
	atUnit
	atKey
	atName // sent by Envoy
	atAvailable
	atOther
)

// ofParameter returns the place for the value of a parameter, and ofMember07 that for a member of draft 07.
func (x *item) ofParameter(key string) *bare {
	switch key {
	case "a":
		return &x.bare[atAvailable]
	case "r":
		return &x.bare[atRemaining]
	case "t":
		return &x.bare[atReset]
	case "q":
		return &x.bare[atQuota]
	case "w", "window": // window in draft 00
		return &x.bare[atWindow]
	case "qu":
		return &x.bare[atUnit]
	case "pk":
		return &x.bare[atKey]
	case "name":
		return &x.bare[atName]
	}
	return &x.bare[atOther]
}

func (x *item) ofMember07(key string) *bare {
	switch key {
	case "limit":
		return &x.bare[atQuota]
	case "remaining":
		return &x.bare[atRemaining]
	case "reset":
		return &x.bare[atReset]
	}
	return &x.bare[atOther]
}

// params reads parameters. The early drafts allow white space before a parameter.
func (s *scanner) params(x *item, isEarly bool) {
	for n := 0; ; n++ {
		if isEarly {
			s.skipOWS()
		}
		if !s.param(n) {
			return
		}
		b := x.ofParameter(s.key())
		*b = s.paramValue()
	}
}

// draft07 reads the dictionary of draft-ietf-httpapi-ratelimit-headers-07 §3 as one item of out:
//
//	limit=100, remaining=50, reset=5
//
// The draft asks to ignore other members and all parameters. A dictionary with none of the three members
// is not a RateLimit field. A member without a value is Boolean true (RFC 9651 §4.2.2).
func (s *scanner) draft07(out *[]Row) (dropped fault) {
	var x item
	for n := 0; s.member(n); n++ {
		b := x.ofMember07(s.key())
		*b = bare{kind: kindBoolean, num: 1}
		if s.accept('=') {
			*b = s.value()
		}
		s.skipParams()
	}
	if x.isAbsent(atQuota) && x.isAbsent(atRemaining) && x.isAbsent(atReset) {
		s.fail(ErrMissing)
	}
	row := newRow()
	x.serviceLimit(&row)
	row.Family = limits.DialectDraft07
	if x.err == nil && s.err == nil {
		*out = append(*out, row)
	}
	dropped.note(0, x.err)
	return dropped
}

// serviceLimit requires a remaining quota or a reset. A quota counts in draft 07 only, whose item has no value. Draft 11
// has the available quota a and the effective window w for r and t. Beside q, w is the window of a policy.
func (x *item) serviceLimit(row *Row) {
	if x.isAbsent(atRemaining) && x.bare[atAvailable].kind == kindInteger {
		x.bare[atRemaining] = x.bare[atAvailable]
	}
	if x.isAbsent(atReset) && x.isAbsent(atQuota) && x.bare[atWindow].kind == kindInteger {
		x.bare[atReset] = x.bare[atWindow]
	}
	if !x.isAbsent(atValue) {
		x.bare[atQuota] = bare{}
	}
	row.Family, row.Name, row.Limit, row.Remaining = limits.DialectRateLimit, x.name(atValue), x.count(atQuota), x.count(atRemaining)
	row.HasRemaining = row.Remaining != Unknown
	if t := x.count(atReset); t != Unknown {
		row.Reset = after(times(max(t, 0), time.Second))
	} else if !row.HasRemaining {
		x.fail(ErrMissing)
	}
	row.Key = x.text(atKey, kindBytes)
}

// policy derives the draft from the type of the item. An Integer is a quota of drafts 04 to 07: it counts
// requests, and all parameters but w are comments. Any other item is a policy of draft 08 or later.
func (x *item) policy(row *Row) {
	isQuota := x.bare[atValue].kind == kindInteger
	if isQuota {
		x.bare = [len(x.bare)]bare{atQuota: x.bare[atValue], atWindow: x.bare[atWindow]}
	}
	row.Family, row.IsPolicy, row.Name = limits.DialectPolicy, true, x.name(atValue)
	if x.isAbsent(atQuota) || isQuota && x.isAbsent(atWindow) {
		x.fail(ErrMissing)
	}
	row.Limit, row.Window, row.Key, row.Unit = x.count(atQuota), x.window(), x.text(atKey, kindBytes), x.unit()
}

func (x *item) isAbsent(place int) bool { return x.bare[place].kind == kindNone }

func (x *item) fail(err error) {
	if x.err == nil {
		x.err = err
	}
}

// count returns a non-negative Integer; Unknown if it is absent.
func (x *item) count(place int) int64 {
	switch b := &x.bare[place]; {
	case b.kind == kindNone:
		return Unknown
	case b.kind != kindInteger:
		x.fail(ErrType)
	case b.num < 0:
		x.fail(ErrRange)
	}
	return x.bare[place].num
}

// window returns a length; Unknown if it is absent. The drafts exclude 0.
func (x *item) window() time.Duration {
	w := x.count(atWindow)
	if w == 0 {
		x.fail(ErrRange)
	}
	if w <= 0 {
		return Unknown
	}
	return times(w, time.Second)
}

// text returns the text of a value of kind k; "" if it is absent.
func (x *item) text(place int, k kind) string {
	switch b := &x.bare[place]; {
	case b.kind == kindNone:
		return ""
	case b.kind != k:
		x.fail(ErrType)
	case len(b.text) > MaxText:
		x.fail(ErrTooLong)
	}
	return x.bare[place].text
}

// name returns the text of a String. It accepts a Token too: the appendix of the drafts and some
// servers use Tokens for names.
func (x *item) name(place int) string {
	if x.bare[place].kind == kindToken {
		return x.text(place, kindToken)
	}
	return x.text(place, kindString)
}

// unit returns a quota unit. The registry table of the drafts has "request" where the text has
// "requests"; both are Requests.
func (x *item) unit() Unit {
	text := x.text(atUnit, kindString)
	switch {
	case x.isAbsent(atUnit), text == "request":
		return Requests
	case text == "":
		x.fail(ErrEmpty)
	}
	return Unit(text)
}
