package pacer

import (
	"math"
	"strings"
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
	p.seq, p.applied = r.seq, r.seq
	p.base, p.opened = r.at(s.Base), r.at(s.Opened)
	p.swing, p.own = within(s.Swing, -1, 1), ownRate(within(s.Own, 0, mostUnits))
	r.units(&p, s.Units)
	for i := range s.Limits[:min(len(s.Limits), maxLimits)] {
		if in := &s.Limits[i]; int(in.Unit) <= len(p.Units()) {
			p.limits = append(p.limits, r.limit(in))
		}
	}
	p.places, p.hold, p.trial = r.places(&s.Places), r.hold(&s.Hold), r.trial(&s.Trial)
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

func (r *restorer) units(p *Partition, units []UnitSnapshot) {
	for i, u := range units {
		if i == 0 {
			p.requests.owed = bounded(u.Owed, -MostCost, MostCost)
			continue
		}
		if index, ok := p.unit(u.Name); !ok || int(index) != i {
			return // the indices of the rest mean nothing
		}
		p.others.tallies[i-1].owed = bounded(u.Owed, -MostCost, MostCost)
		p.others.estimates[i-1] = estimate{
			usual:   within(u.Usual, 0, MostCost),
			charged: within(u.Charged, 0, mostUnits), spent: within(u.Spent, 0, mostUnits),
		}
	}
}

// limit restores a limit. Its marks are before the first unit that is sent here.
func (r *restorer) limit(in *LimitSnapshot) limit {
	l := limit{
		name: strings.Clone(in.Policy), key: strings.Clone(in.PartitionKey), unit: in.Unit,
		quota: max(in.Quota, 0), best: max(in.Best, 0),
		remaining: max(in.Remaining, Unknown),
		mark:      -bounded(in.SentSince, 0, mostUnits), began: -bounded(in.SentInWindow, 0, mostUnits),
		sent: r.past(in.Sent), at: r.past(in.At), seq: min(max(in.Seq, 1), r.seq),
		end: r.span(in.EndAfter, in.EndBy), held: r.at(in.Held), prior: r.past(in.Prior),
		refill: r.refill(&in.Refill),
		share:  share{own: within(in.Own, 0, mostUnits), total: within(in.Total, 0, mostUnits)},
		entry:  within(in.Entry, 0, 1),
		usual:  within(in.Usual, 0, MostCost),
		unsaid: min(in.Unsaid, unsaidMost), guessed: in.Guessed,
		quotaFrom: min(source(in.QuotaFrom), told), windFrom: min(source(in.WindowFrom), told),
	}
	l.window = min(max(in.Window, 0), scale(r.most, float64(max(l.quota, 1))))
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
	return refill{
		evidence: min(in.Evidence, slideProof), wary: in.Wary, doubted: in.Doubted, spared: in.Spared, early: in.Early,
		came: within(in.Came, 0, mostUnits), strain: within(in.Strain, 0, strainMost),
		still: r.span(in.StillAfter, in.StillBy), stillSince: r.past(in.StillSince),
		stillUnits: within(in.StillUnits, 0, mostUnits), stillFell: within(in.StillFell, -mostUnits, mostUnits),
	}
}

func (r *restorer) places(in *PlacesSnapshot) places {
	c := places{
		advertised: max(in.Advertised, 0), most: within(in.Most, unbounded, mostUnits), least: in.Least,
		unsaid: in.Unsaid, doubts: min(in.Doubts, doubtsMost), grants: min(in.Grants, firstGrants), cut: in.Cut, last: r.past(in.Last),
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
		until: r.at(in.Until), free: r.at(in.Free), since: min(in.Since, r.seq), policy: strings.Clone(in.Policy),
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
