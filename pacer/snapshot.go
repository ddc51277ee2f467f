package pacer

import (
	"math"
	"time"
)

// A Snapshot is what a partition knows that is worth keeping until the program runs
// again: everything but what is in flight. It is made by Partition.Snapshot and
// taken up by Restore; in between it may be stored field by field, in any form. All
// its Instants are on the clock of the partition that it was taken from, 0 where
// nothing is known; floats are finite.
type Snapshot struct {
	At           Instant // when it was taken
	Seq          uint64  // requests sent, which the others called Seq and Since count
	Base, Opened Instant // the pace line
	Swing, Own   float32
	Units        []UnitSnapshot // requests first
	Limits       []LimitSnapshot
	Places       PlacesSnapshot
	Hold         HoldSnapshot
	Trial        TrialSnapshot
}

// A UnitSnapshot is what is known of one quota unit.
type UnitSnapshot struct {
	Name           string
	Owed           int64
	Usual          float64
	Charged, Spent float32
}

// A LimitSnapshot is what is known of one limit.
type LimitSnapshot struct {
	Policy, PartitionKey string
	Unit                 uint8 // index of Units
	Quota, Best          int64
	Window               time.Duration
	Remaining            int64   // as last told; Unknown if never
	SentSince            int64   // units sent since then
	SentInWindow         int64   // units sent since the window began
	Sent, At             Instant // request and receipt of the last reading
	Seq                  uint64
	EndAfter, EndBy      Instant
	Held, Prior          Instant
	Recent               []uint16 // units sent within the last window, in equal parts of it, oldest first
	Refill               RefillSnapshot
	Own, Total           float32 // the share
	Entry, Usual         float32
	QuotaFrom            uint8
	WindowFrom           uint8
	Unsaid               uint8
	Guessed              bool
}

// A RefillSnapshot is what is known of how a limit gives units back.
type RefillSnapshot struct {
	Evidence                     uint8
	Wary, Doubted, Spared, Early bool
	Came, Strain                 float32
	StillAfter, StillBy          Instant
	StillSince                   Instant
	StillUnits, StillFell        float32
}

// A PlacesSnapshot is what is known of how many requests may be in flight.
type PlacesSnapshot struct {
	Advertised     int64
	Most           float64
	Least          uint32
	Unsaid, Doubts uint8
	Grants         uint8
	Cut            bool
	Last           Instant
}

// A HoldSnapshot is the last hold, be it in force or over.
type HoldSnapshot struct {
	Until, Free Instant
	Since       uint64
	Policy      string
	Backoff     time.Duration // the next one of a server that refuses without a word; 0: none
	Late        int32
	Rounds      uint8
	Alone, Wins bool
}

// A TrialSnapshot is how far a pace has been found by trial.
type TrialSnapshot struct {
	Start, Last Instant
	Load        time.Duration
	Successes   int64
	Before      int32
	Ended       bool
	Unexplained uint8
	Rate        float64
}

// Snapshot returns a copy of what is known now. It changes nothing. What is in
// flight counts as sent, as its answers will be those of another process.
func (p *Partition) Snapshot(now Instant) Snapshot {
	s := Snapshot{
		At: now, Seq: p.seq, Base: p.base, Opened: p.opened, Swing: p.swing, Own: finite(float32(p.own)),
		Units:  []UnitSnapshot{{Name: requests, Owed: p.requests.owed}},
		Places: p.places.snapshot(), Hold: p.hold.snapshot(), Trial: p.trial.snapshot(),
	}
	for i, name := range p.Units() {
		e := &p.others.estimates[i]
		s.Units = append(s.Units, UnitSnapshot{
			Name: name, Owed: p.others.tallies[i].owed,
			Usual: finite(e.usual), Charged: finite(e.charged), Spent: finite(e.spent),
		})
	}
	for i := range p.limits {
		l := &p.limits[i]
		s.Limits = append(s.Limits, l.snapshot(now, p.tally(l.unit).sent))
	}
	return s
}

func (l *limit) snapshot(now Instant, units int64) LimitSnapshot {
	return LimitSnapshot{
		Policy: l.name, PartitionKey: l.key, Unit: l.unit,
		Quota: l.quota, Best: l.best, Window: l.window,
		Remaining: l.remaining, SentSince: units - l.mark, SentInWindow: units - l.began,
		Sent: l.sent, At: l.at, Seq: l.seq,
		EndAfter: l.end.lo, EndBy: l.end.hi, Held: l.held, Prior: l.prior,
		Recent: l.recent.snapshot(now, l.window), Refill: l.refill.snapshot(),
		Own: finite(l.share.own), Total: finite(l.share.total),
		Entry: l.entry, Usual: finite(l.usual),
		QuotaFrom: uint8(l.quotaFrom), WindowFrom: uint8(l.windFrom),
		Unsaid: l.unsaid, Guessed: l.guessed,
	}
}

// snapshot returns the slots, oldest first.
func (r recent) snapshot(now Instant, window time.Duration) []uint16 {
	r.advance(now, window) // of the copy
	slots := make([]uint16, recentSlots)
	for i := range slots {
		slots[i] = r.slots[(r.newest+1+int64(i))%recentSlots]
	}
	return slots
}

func (f *refill) snapshot() RefillSnapshot {
	return RefillSnapshot{
		Evidence: f.evidence, Wary: f.wary, Doubted: f.doubted, Spared: f.spared, Early: f.early,
		Came: finite(f.came), Strain: finite(f.strain),
		StillAfter: f.still.lo, StillBy: f.still.hi, StillSince: f.stillSince,
		StillUnits: finite(f.stillUnits), StillFell: finite(f.stillFell),
	}
}

func (c *places) snapshot() PlacesSnapshot {
	return PlacesSnapshot{
		Advertised: c.advertised, Most: finite(c.most), Least: c.least,
		Unsaid: c.unsaid, Doubts: c.doubts, Grants: c.grants, Cut: c.cut, Last: c.last,
	}
}

func (h *hold) snapshot() HoldSnapshot {
	s := HoldSnapshot{
		Until: h.until, Free: h.free, Since: h.since, Policy: h.policy,
		Late: h.late, Rounds: h.rounds, Alone: h.alone, Wins: h.wins,
	}
	if h.silent != nil {
		next := *h.silent
		s.Backoff = next.NextBackOff()
	}
	return s
}

func (t *trial) snapshot() TrialSnapshot {
	return TrialSnapshot{
		Start: t.start, Last: t.last, Load: t.load, Successes: t.n, Before: t.before,
		Ended: t.ended, Unexplained: t.unexplained, Rate: finite(t.rate),
	}
}

// finite returns f, or where it is none the nearest number that is one, so that
// every form of storage can hold it.
func finite[F float32 | float64](f F) F { return within(f, -math.MaxFloat32, math.MaxFloat32) }

// within returns f held within [least, most]; NaN gives least or 0, whichever is more.
func within[F float32 | float64](f, least, most F) F {
	if f != f {
		f = 0
	}
	return min(max(f, least), most)
}
