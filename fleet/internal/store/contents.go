package store

import (
	"maps"
	"strconv"
	"strings"
	"time"
)

const (
	setBack   = time.Second // a clock that was set back by more makes all times in a partition wrong
	longestIn = time.Minute // a turn that is further away was made by another clock
)

// Contents are everything that a store has on a partition, not yet parsed or checked. They have the rules of all stores:
// when a division is due, the next member that renews has the turn to divide. renew.lua and agree.lua are the same rules.
type Contents struct {
	Claim         string // proves that it is this member's turn
	Born, Written int64  // when the contents were made, and when agreements were last stored
	due           int64  // when the current turn to divide ends, or when the next one begins
	until         int64  // when the contents are forgotten, unless somebody renews them
	Ledger        string
	Records       map[string]Stamped
	Agreements    map[string]string
}

// A Stamped is a record with the time at which the store received it.
type Stamped struct {
	At     int64
	Record string
}

// NewContents returns empty contents that were made at now; 0: never.
func NewContents(now int64) *Contents {
	return &Contents{Born: now, Records: make(map[string]Stamped), Agreements: make(map[string]string)}
}

// Renew stores a member's record, and returns the member's last agreement. If it is the member's turn to divide, it also
// returns a copy of the contents.
func (c *Contents) Renew(now int64, id string, r *Renewal) Renewed {
	if c.Born == 0 || now > c.until || max(c.Born, c.Written) > now+setBack.Milliseconds() {
		*c = *NewContents(now)
	}
	if c.Written > 0 {
		now = max(now, c.Written+1) // so that the record is seen to be newer
	}
	if _, isKnown := c.Records[id]; !isKnown && len(c.Records) >= 2*MostMembers {
		return Renewed{Err: errMany}
	}
	c.Records[id], c.until = Stamped{now, r.Record}, now+r.Keep.Milliseconds()
	reply := Renewed{Now: now, Agreement: c.Agreements[id]}
	if now < c.due && c.due < now+longestIn.Milliseconds() {
		return reply
	}
	c.due = now + TurnFor.Milliseconds()
	all := *c
	all.Claim, all.Records, all.Agreements = c.turn(), maps.Clone(c.Records), maps.Clone(c.Agreements)
	reply.All = &all
	return reply
}

// turn returns the proof of the current turn.
func (c *Contents) turn() string { return strconv.FormatInt(c.due, 10) }

// Agree stores new agreements, unless the turn has passed to another member.
func (c *Contents) Agree(now int64, o *Outcome) error {
	if c.due == 0 || now > c.until || o.Claim != c.turn() {
		return ErrTurn
	}
	c.Written, c.due, c.Ledger = now, now+o.Next.Milliseconds(), o.Ledger
	for _, id := range o.Gone {
		delete(c.Records, id)
		delete(c.Agreements, id)
	}
	maps.Copy(c.Agreements, o.Agreements)
	return nil
}

// Set sets a field that was read from a store. It ignores unknown ones, and values that are too long.
func (c *Contents) Set(field, value string) {
	switch {
	case len(value) > MostBytes:
	case field == "b":
		c.Born = parseTime(value)
	case field == "w":
		c.Written = parseTime(value)
	case field == "d":
		c.due = parseTime(value)
	case field == "k":
		c.until = parseTime(value)
	case field == "l":
		c.Ledger = value
	case strings.HasPrefix(field, "m"):
		at, record, _ := strings.Cut(value, " ")
		c.Records[field[1:]] = Stamped{parseTime(at), record}
	case strings.HasPrefix(field, "t"):
		c.Agreements[field[1:]] = value
	}
}

// Fields yields what Set reads.
func (c *Contents) Fields(yield func(field, value string)) {
	for field, t := range map[string]int64{"b": c.Born, "w": c.Written, "d": c.due, "k": c.until} {
		yield(field, strconv.FormatInt(t, 10))
	}
	yield("l", c.Ledger)
	for id, r := range c.Records {
		yield("m"+id, strconv.FormatInt(r.At, 10)+" "+r.Record)
	}
	for id, agreement := range c.Agreements {
		yield("t"+id, agreement)
	}
}

// parseTime returns 0 if s is not a valid time.
func parseTime(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 || n > MostTime {
		return 0
	}
	return n
}
