package parse

import (
	"time"

	"github.com/headway-go/headway/limits"
)

// readItems reads RateLimit or RateLimit-Policy, as family says (draft-ietf-httpapi-ratelimit-headers-10 §3, §4): the list
// of drafts 08 and later, or the dictionary of draft 07, which becomes one item without a name. A policy of drafts 04 to
// 07 is a quota such as 100;w=60.
//
// An item is left out if a parameter has the wrong type, if a number is out of range, or if a required number is missing.
// RateLimit requires r or t, RateLimit-Policy the quota, and before draft 08 the window. The other items are kept. After a
// syntax error the list is empty. The fault is about the first part that was left out.
func readItems(family limits.Dialect, lines []string, out *[]Row) fault {
	s := scan(lines)
	dropped := s.items(family, out)
	if s.err != nil && family == limits.DialectRateLimit {
		d := scan(lines)
		dropped07 := d.draft07(out)
		if d.err == nil || d.offset > s.offset { // the error of the grammar that reads further
			s, dropped = d, dropped07
		}
	}
	s.note(dropped.offset, dropped.err)
	return s.fault
}

// mostItems is how many members of a list become rows: one more than package validate takes. More: hostile lists take memory.
const mostItems = MaxNamed + 1

// items reads a list (RFC 9651 §4.2.1) into out; after a syntax error nothing. dropped is about the first item whose types
// or numbers the field does not allow.
func (s *scanner) items(family limits.Dialect, out *[]Row) (dropped fault) {
	before := len(*out)
	for n := 0; s.member(n); n++ {
		start := s.off
		x := item{value: s.value()}
		for key, value := range s.params {
			*x.at(key) = value
		}
		if family == limits.DialectRateLimit {
			x.ignoreWrong()
		}
		row := NewRow()
		if x.set(&row, family); x.err == nil && n < mostItems {
			*out = append(*out, row)
		}
		dropped.note(start, x.err)
	}
	if s.err != nil {
		clear((*out)[before:]) // so that no header is kept alive
		*out = (*out)[:before]
	}
	return dropped
}

// draft07 reads the dictionary of draft-ietf-httpapi-ratelimit-headers-07 §3 as one item of out. The draft asks to ignore
// other members and all parameters:
//
//	limit=100, remaining=50, reset=5
func (s *scanner) draft07(out *[]Row) (dropped fault) {
	var x item
	for n := 0; s.member(n); n++ {
		b := x.member(s.key())
		*b = bare{kind: kindBoolean} // without a value it is true (RFC 9651 §4.2.2)
		if s.accept('=') {
			*b = s.value()
		}
		s.skipParams()
	}
	row := NewRow()
	if x.set(&row, limits.DialectDraft07); x.err == nil && s.err == nil {
		*out = append(*out, row)
	}
	return fault{0, x.err}
}

// readPartition reads RateLimit-Partition (draft-ietf-httpapi-ratelimit-headers-11), an Item.
func readPartition(lines []string) (key string, f fault) {
	s := scan(lines)
	s.skipSP()
	x := item{key: s.bareItem()}
	s.skipParams()
	if s.skipSP(); !s.eof() {
		s.unexpected()
	}
	key = x.text(x.key, kindBytes)
	if s.note(0, x.err); s.err != nil {
		key = ""
	}
	return key, s.fault
}

// An item has the value of an item and the parameters that the drafts define for any field. The types are checked after
// the whole item is read: if a parameter is repeated the last one counts, whatever its type (RFC 9651 §4.2.3.2).
type item struct {
	value, quota, window, unit, key, name    bare
	remaining, available, reset, cost, other bare
	err                                      error // the first one
}

// at returns the place for the value of a parameter.
func (x *item) at(key string) *bare {
	switch key {
	case "q":
		return &x.quota
	case "w", "window": // window in draft 00
		return &x.window
	case "qu":
		return &x.unit
	case "pk":
		return &x.key
	case "name": // sent by Envoy
		return &x.name
	case "r":
		return &x.remaining
	case "a":
		return &x.available
	case "c":
		return &x.cost
	case "t":
		return &x.reset
	}
	return &x.other
}

// member returns the place for the value of a member of the dictionary of draft 07.
func (x *item) member(key string) *bare {
	switch key {
	case "limit":
		return &x.quota
	case "remaining":
		return &x.remaining
	case "reset":
		return &x.reset
	}
	return x.at(key)
}

// set sets row to an item of either field. An item with an Integer as its value is a policy of drafts 04 to 07: it counts
// requests, and all parameters but w are comments. Draft 11 has the available quota a and the effective window w for r and
// t, and the cost c of the request. Beside q, w is the window of a policy.
func (x *item) set(row *Row, family limits.Dialect) {
	isQuota := x.value.kind == kindInteger
	if isQuota {
		*x = item{quota: x.value, window: x.window}
	}
	isPolicy := family == limits.DialectPolicy
	if x.quota.kind == kindNone && !isPolicy {
		if x.reset.kind == kindNone && x.window.kind == kindInteger {
			x.reset = x.window
		}
		x.window = bare{}
	}
	row.Family, row.IsPolicy = family, isPolicy
	row.Name, row.Key = x.text(x.value, kindString), x.text(x.key, kindBytes)
	row.Limit, row.Window = x.count(x.quota, 0), x.seconds(x.window, 1)
	if unit := x.text(x.unit, kindString); unit != "" && unit != "request" { // the unit of requests in the drafts' registry
		row.Unit = limits.Unit(unit)
	}
	if isPolicy {
		if row.Limit == Unknown || isQuota && row.Window == Unknown {
			x.fail(ErrMissing)
		}
		return
	}
	if x.remaining.kind == kindNone {
		x.remaining = x.available
	}
	row.Remaining = x.count(x.remaining, 0)
	row.HasRemaining, row.Cost = row.Remaining != Unknown, x.count(x.cost, 0)
	if t := x.seconds(x.reset, 0); t != Unknown {
		row.Reset = after(t)
	} else if !row.HasRemaining {
		x.fail(ErrMissing)
	}
}

// ignoreWrong drops what an item of RateLimit only may have, if it is wrong: r and t count nevertheless.
func (x *item) ignoreWrong() {
	for _, b := range [...]*bare{&x.quota, &x.window, &x.cost} {
		if b.kind != kindInteger || b.num <= 0 {
			*b = bare{}
		}
	}
	if x.unit.kind != kindString {
		x.unit = bare{}
	}
}

func (x *item) fail(err error) {
	if x.err == nil {
		x.err = err
	}
}

// count returns an Integer that is not less than least; Unknown if it is absent.
func (x *item) count(b bare, least int64) int64 {
	switch {
	case b.kind == kindNone:
		return Unknown
	case b.kind != kindInteger:
		x.fail(ErrType)
	case b.num < least:
		x.fail(ErrRange)
	}
	return b.num
}

func (x *item) seconds(b bare, least int64) time.Duration {
	if n := x.count(b, least); n >= 0 {
		return times(n, time.Second)
	}
	return Unknown
}

// text returns the text of a value of kind k; "" if it is absent. A Token counts as a String, as in the appendix of the
// drafts.
func (x *item) text(b bare, k kind) string {
	switch {
	case b.kind == kindNone:
	case b.kind != k && (k != kindString || b.kind != kindToken):
		x.fail(ErrType)
	case len(b.text) > MaxText:
		x.fail(ErrTooLong)
	}
	return b.text
}
