package pacer

import (
	"math"
	"slices"
	"time"
)

// A Snapshot is what a partition knows that is worth keeping until the program runs
// again: everything but what is in flight, which limits apply to which route, and how
// earlier trials went (chance.go). It is made by Partition.Snapshot and taken up by
// Restore; in between it may be stored field by field, in any form. All
// its Instants are on the clock of the partition that it was taken from, 0 where
// nothing is known; floats are finite.
type Snapshot struct {
	At         Instant // when it was taken
	Seq        uint64  // requests sent, which the others called Seq and Since count
	Base       Instant // the pace line of all requests
	Owed       float32 // what the last request cost
	Swing, Own float32
	Grants     uint8    // readings by which a first credit was granted
	Routed     bool     // limits were told of by different routes; which, is not kept
	NextProbe  Instant  // of a route that is new
	Probes     uint8    // in vain, one after the other
	Units      []string // besides requests
	Limits     []LimitSnapshot
	Places     PlacesSnapshot
	Hold       HoldSnapshot
	Trial      TrialSnapshot
}

// A LimitSnapshot is what is known of one limit.
type LimitSnapshot struct {
	Policy, PartitionKey string
	Unit                 uint8 // 0: requests; else one more than its index in Units
	Quota, Best          int64
	Window               time.Duration
	Remaining            int64   // as last told; Unknown if never
	SentSince            int64   // units sent since then
	SentInWindow         int64   // units sent since the window began
	Sent, At             Instant // request and receipt of the last reading
	Seq                  uint64
	EndAfter, EndBy      Instant
	Held, Prior          Instant
	Base, Opened         Instant // its pace line
	Owed                 float32
	Usual                float64  // what a request uses, and
	Charged, Spent       float32  // what corrects it
	Back                 float32  // bytes of a response
	Free                 uint8    // answers that showed no use
	Recent               []uint16 // units sent within the last window, in equal parts of it, oldest first
	Refill               RefillSnapshot
	Rush                 RushSnapshot
	Own, Total           float32 // the share
	Entry                uint8
	Millis, Doubts       uint8         // what speaks for resets in milliseconds, and against
	Reset                time.Duration // as told last
	QuotaFrom            uint8
	WindowFrom           uint8
	Grants               uint8
	Guessed, Matched     bool
}

// A RushSnapshot is what is known of how soon others use up a window's quota.
type RushSnapshot struct {
	Haste, Early uint8
	Open         bool
}

// A RefillSnapshot is what is known of how a limit gives units back.
type RefillSnapshot struct {
	Evidence                     uint8
	Wary, Doubted, Spared, Early bool
	Dry                          bool
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
	Cut, Guess     bool
	Last           Instant
}

// A HoldSnapshot is the last hold, be it in force or over.
type HoldSnapshot struct {
	Until, Free Instant
	Since       uint64
	Round       uint32
	Only        LimitSet      // what the last refusal was about, by the index in Limits; 0: everything
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
		At: now, Seq: p.seq, Base: p.base, Owed: finite(p.owed), Swing: p.swing, Own: finite(float32(p.own)),
		Grants: p.anywhere.grants, Routed: p.divided() != 0, Units: slices.Clone(p.Units()),
		Places: p.places.snapshot(), Hold: p.hold.snapshot(), Trial: p.trial.snapshot(),
	}
	if p.routes != nil {
		s.Grants, s.NextProbe, s.Probes = firstGrants, p.routes.next, p.routes.doublings
	}
	for rest := p.live; rest != 0; rest = rest.rest() {
		i := rest.first()
		if p.hold.only&placeOf(i) != 0 {
			s.Hold.Only |= placeOf(len(s.Limits))
		}
		s.Limits = append(s.Limits, p.limits[i].snapshot(now))
	}
	return s
}

func (l *limit) snapshot(now Instant) LimitSnapshot {
	id := l.id.Value()
	s := LimitSnapshot{
		Policy: id.policy, PartitionKey: id.key, Unit: l.unit,
		Quota: l.quota, Window: l.window,
		Remaining: l.remaining, SentSince: l.units - l.mark, SentInWindow: l.units - l.began,
		Sent: l.sent, At: l.at, Seq: l.seq,
		EndAfter: l.end.lo, EndBy: l.end.hi, Held: l.held,
		Base: l.base, Opened: l.opened, Owed: finite(l.owed),
		Recent: l.recent.snapshot(now, l.window), Refill: l.refill.snapshot(),
		Rush: RushSnapshot{Haste: l.rush.haste, Early: l.rush.early, Open: l.rush.open},
		Own:  finite(l.share.own), Total: finite(l.share.total),
		Entry: l.entry, QuotaFrom: uint8(l.quotaFrom), WindowFrom: uint8(l.windFrom),
		Grants: l.grants, Guessed: l.guessed, Matched: l.matched,
	}
	if g := l.aside; g != nil {
		s.Best, s.Prior, s.Millis, s.Doubts, s.Reset = g.best, g.prior, g.millis, g.doubts, g.reset
	}
	if e := l.estimate; e != nil {
		s.Usual, s.Charged, s.Spent, s.Back, s.Free = finite(e.usual), finite(e.charged), finite(e.spent), finite(e.back), e.free
	}
	return s
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
	s := RefillSnapshot{
		Evidence: f.evidence, Wary: f.wary, Doubted: f.doubted, Spared: f.spared, Early: f.early, Dry: f.dry,
		Came: finite(f.came), Strain: finite(f.strain),
	}
	if w := f.still; w != nil {
		s.StillAfter, s.StillBy, s.StillSince = w.end.lo, w.end.hi, w.since
		s.StillUnits, s.StillFell = finite(w.units), finite(w.fell)
	}
	return s
}

func (c *places) snapshot() PlacesSnapshot {
	return PlacesSnapshot{
		Advertised: c.advertised, Most: finite(c.most), Least: c.least,
		Unsaid: c.unsaid, Doubts: c.doubts, Cut: c.cut, Guess: c.guess, Last: c.last,
	}
}

func (h *hold) snapshot() HoldSnapshot {
	s := HoldSnapshot{
		Until: h.until, Free: h.free, Since: h.since, Round: h.round,
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
