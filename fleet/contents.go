package fleet

import (
	"maps"
	"strconv"
	"strings"
	"time"
)

const (
	turnFor   = 500 * time.Millisecond // how long a member that has the turn may take to divide
	setBack   = time.Second            // a clock that was set back by more makes all times in a partition wrong
	longestIn = time.Minute            // a turn that is further away was made by another clock
)

// contents are everything that a store has on a partition, not yet parsed or checked. They have the rules of all stores:
// when a division is due, the next member that renews has the turn to divide. renew.lua and agree.lua are the same rules.
type contents struct {
	claim         string // proves that it is this member's turn
	born, written int64  // when the contents were made, and when agreements were last stored
	due           int64  // when the current turn to divide ends, or when the next one begins
	until         int64  // when the contents are forgotten, unless somebody renews them
	ledger        string
	records       map[string]stamped
	agreements    map[string]string
}

// A stamped record has the time at which the store received it.
type stamped struct {
	at     int64
	record string
}

func newContents(now int64) *contents {
	return &contents{born: now, records: make(map[string]stamped), agreements: make(map[string]string)}
}

// renew stores a member's record, and returns the member's last agreement. If it is the member's turn to divide, it also
// returns a copy of the contents.
func (c *contents) renew(now int64, id string, r *renewal) renewed {
	if c.born == 0 || now > c.until || max(c.born, c.written) > now+setBack.Milliseconds() {
		*c = *newContents(now)
	}
	if c.written > 0 {
		now = max(now, c.written+1) // so that the record is seen to be newer
	}
	if _, isKnown := c.records[id]; !isKnown && len(c.records) >= 2*mostMembers {
		return renewed{err: errMany}
	}
	c.records[id], c.until = stamped{now, r.record}, now+r.keep.Milliseconds()
	reply := renewed{now: now, agreement: c.agreements[id]}
	if now < c.due && c.due < now+longestIn.Milliseconds() {
		return reply
	}
	c.due = now + turnFor.Milliseconds()
	all := *c
	all.claim, all.records, all.agreements = c.turn(), maps.Clone(c.records), maps.Clone(c.agreements)
	reply.all = &all
	return reply
}

// turn returns the proof of the current turn.
func (c *contents) turn() string { return strconv.FormatInt(c.due, 10) }

// agree stores new agreements, unless the turn has passed to another member.
func (c *contents) agree(now int64, o *outcome) error {
	if c.due == 0 || now > c.until || o.claim != c.turn() {
		return errTurn
	}
	c.written, c.due, c.ledger = now, now+o.next.Milliseconds(), o.ledger
	for _, id := range o.gone {
		delete(c.records, id)
		delete(c.agreements, id)
	}
	maps.Copy(c.agreements, o.agreements)
	return nil
}

// set sets a field that was read from a store. It ignores unknown ones, and values that are too long.
func (c *contents) set(field, value string) {
	switch {
	case len(value) > mostBytes:
	case field == "b":
		c.born = parseTime(value)
	case field == "w":
		c.written = parseTime(value)
	case field == "d":
		c.due = parseTime(value)
	case field == "k":
		c.until = parseTime(value)
	case field == "l":
		c.ledger = value
	case strings.HasPrefix(field, "m"):
		at, record, _ := strings.Cut(value, " ")
		c.records[field[1:]] = stamped{parseTime(at), record}
	case strings.HasPrefix(field, "t"):
		c.agreements[field[1:]] = value
	}
}

// fields yields what set reads.
func (c *contents) fields(yield func(field, value string)) {
	for field, t := range map[string]int64{"b": c.born, "w": c.written, "d": c.due, "k": c.until} {
		yield(field, strconv.FormatInt(t, 10))
	}
	yield("l", c.ledger)
	for id, r := range c.records {
		yield("m"+id, strconv.FormatInt(r.at, 10)+" "+r.record)
	}
	for id, agreement := range c.agreements {
		yield("t"+id, agreement)
	}
}

// parseTime returns 0 if s is not a valid time.
func parseTime(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || !areTimes(n) {
		return 0
	}
	return n
}
