package pacer

import (
	"math"
	"time"
)

// mostUnits bounds restored counts of units, so that sums of them and of costs stay
// within int64.
const mostUnits = 1 << 60

// Restore returns a partition that knows what the snapshot s holds, which was taken
// passed before now (0 or more): every Instant of s is moved to now's clock, which
// should count from an origin well before what is restored, as Instants before that
// origin become its first. Windows that have ended since, begin anew as always.
// Nothing is in flight. cfg is kept as in New; nothing of s is.
//
// Values that no partition has are replaced by the nearest possible ones, and no
// restored time or interval is longer than most, whatever s holds.
func Restore(cfg *Config, s *Snapshot, now Instant, passed, most time.Duration) Partition {
	taken := now.Add(-passed)
	r := restorer{now: now, taken: taken, by: taken.Sub(s.At), most: max(most, 1), seq: min(s.Seq, math.MaxInt64)}
	p := New(cfg)
	p.seq = r.seq
	p.base, p.owed = r.at(s.Base), within(s.Owed, 0, MostCost)
	p.swing, p.own = within(s.Swing, -1, 1), ownRate(within(s.Own, 0, mostUnits))
	p.anywhere.grants = min(s.Grants, firstGrants)
	if s.Routed {
		p.routes = &routes{next: r.at(s.NextProbe), doublings: min(s.Probes, probeMost)}
		p.anywhere.fresh = true
	}
	for i, name := range s.Units {
		if index, ok := p.unit(name); !ok || int(index) != i+1 {
			break // the indices of the rest mean nothing
		}
	}
	for i := range s.Limits[:min(len(s.Limits), maxLimits)] {
		if in := &s.Limits[i]; int(in.Unit) <= len(p.Units()) {
			p.add(len(p.limits), r.limit(in))
		}
	}
	p.places, p.hold, p.trial = r.places(&s.Places), r.hold(&s.Hold), r.trial(&s.Trial)
	p.hold.only = s.Hold.Only & p.live
	return p
}

// A restorer takes what was known on another clock to this one.
type restorer struct {
	now   Instant
	taken Instant       // when the snapshot was
	by    time.Duration // from one clock to the other
	most  time.Duration
	seq   uint64
}

// at moves a time, which may be in the future. 0 says nothing on either clock.
func (r *restorer) at(t Instant) Instant {
	if t == 0 {
		return 0
	}
	return min(max(t.Add(r.by), 1), r.now.Add(r.most))
}

// past moves the time of something that has happened.
func (r *restorer) past(t Instant) Instant { return min(r.at(t), r.now) }

func (r *restorer) span(lo, hi Instant) span {
	s := span{lo: r.at(lo), hi: r.at(hi)}
	return span{lo: min(s.lo, s.hi), hi: s.hi}
}

// rate is one whose interval is neither longer than most nor shorter than a
// nanosecond; 0 if there is none.
func (r *restorer) rate(rate float64) float64 {
	if !(rate > 0) {
		return 0
	}
	return within(rate, 1/float64(r.most), 1)
}

// limit restores a limit. Its marks are before the first unit that is sent here.
func (r *restorer) limit(in *LimitSnapshot) limit {
	l := limit{
		id: identify(identity{in.Policy, in.PartitionKey}), unit: in.Unit, born: r.seq, grants: min(in.Grants, firstGrants),
		quota:     max(in.Quota, 0),
		remaining: max(in.Remaining, Unknown),
		mark:      -bounded(in.SentSince, 0, mostUnits), began: -bounded(in.SentInWindow, 0, mostUnits),
		sent: r.past(in.Sent), at: r.past(in.At), seq: min(max(in.Seq, 1), r.seq),
		end: r.span(in.EndAfter, in.EndBy), held: r.at(in.Held),
		refill: r.refill(&in.Refill),
		rush:   rush{haste: min(in.Rush.Haste, rushMost), early: in.Rush.Early, open: in.Rush.Open},
		share:  share{own: within(in.Own, 0, mostUnits), total: within(in.Total, 0, mostUnits)},
		base:   r.at(in.Base), opened: r.at(in.Opened), owed: within(in.Owed, -MostCost, MostCost),
		entry:   in.Entry,
		guessed: in.Guessed, matched: in.Matched, shown: true,
		quotaFrom: min(source(in.QuotaFrom), told), windFrom: min(source(in.WindowFrom), told),
	}
	l.refill.unsure = uint16(min(-l.mark, math.MaxUint16)) // what was in flight may never have got there
	l.window = min(max(in.Window, 0), scale(r.most, float64(max(l.quota, 1))))
	if l.unit > 0 {
		l.estimate = &estimate{
			usual:   within(in.Usual, 0, MostCost),
			charged: within(in.Charged, 0, mostUnits), spent: within(in.Spent, 0, mostUnits),
			back: within(in.Back, 0, MostCost), free: min(in.Free, freeProof),
		}
	}
	if in.Best > 0 || in.Prior > 0 || in.Millis > 0 || in.Doubts > 0 || in.Reset > 0 {
		l.aside = &aside{best: max(in.Best, 0), prior: r.past(in.Prior), millis: min(in.Millis, millisProof), doubts: in.Doubts, reset: max(in.Reset, 0)}
	}
	l.recent = recentOf(in.Recent, r.taken, l.window)
	return l
}

// recentOf puts in the slots of the window until then.
func recentOf(slots []uint16, then Instant, window time.Duration) recent {
	var r recent
	r.advance(then, window)
	for i, n := range slots[:min(len(slots), recentSlots)] {
		r.slots[(r.newest+1+int64(i))%recentSlots] = n
	}
	return r
}

func (r *restorer) refill(in *RefillSnapshot) refill {
	f := refill{
		evidence: min(in.Evidence, slideProof), wary: in.Wary, doubted: in.Doubted, spared: in.Spared, early: in.Early, dry: in.Dry,
		came: within(in.Came, 0, mostUnits), strain: within(in.Strain, 0, strainMost),
	}
	if in.StillSince > 0 {
		f.still = &still{
			end: r.span(in.StillAfter, in.StillBy), since: r.past(in.StillSince),
			units: within(in.StillUnits, 0, mostUnits), fell: within(in.StillFell, -mostUnits, mostUnits),
		}
	}
	return f
}

func (r *restorer) places(in *PlacesSnapshot) places {
	c := places{
		advertised: max(in.Advertised, 0), most: within(in.Most, unbounded, mostUnits), least: in.Least,
		unsaid: in.Unsaid, doubts: min(in.Doubts, doubtsMost), cut: in.Cut, guess: in.Guess, last: r.past(in.Last),
	}
	switch {
	case c.cut: // some number of them
		c.most = max(c.most, coldPlaces)
	case c.most < 0:
		c.most = unbounded
	case c.most > 0:
		c.most = max(c.most, coldPlaces)
	}
	return c
}

func (r *restorer) hold(in *HoldSnapshot) hold {
	h := hold{
		until: r.at(in.Until), free: r.at(in.Free), since: min(in.Since, r.seq), round: in.Round,
		late: min(max(in.Late, 0), int32(mostSlack)), rounds: min(in.Rounds, mostRounds),
		alone: in.Alone, wins: in.Wins,
	}
	if in.Backoff > 0 {
		h.silent = newBackoff()
		h.silent.InitialInterval = min(max(in.Backoff, firstBackoff), mostBackoff)
		h.silent.Reset()
	}
	return h
}

func (r *restorer) trial(in *TrialSnapshot) trial {
	return trial{
		start: r.past(in.Start), last: r.past(in.Last), load: min(max(in.Load, 0), r.most),
		n: bounded(in.Successes, 0, mostUnits), before: min(max(in.Before, 0), trialMost),
		ended: in.Ended, unexplained: min(in.Unexplained, trialDoubts), rate: r.rate(in.Rate),
	}
}

func bounded(n, least, most int64) int64 { return min(max(n, least), most) }
