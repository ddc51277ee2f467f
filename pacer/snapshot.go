package pacer

import (
	"encoding/json"
	"errors"
	"slices"
	"time"
)

// ErrSnapshot is what Restore returns for data that are no snapshot, or one of another version.
var ErrSnapshot = errors.New("pacer: not a snapshot of this version")

// snapshotVersion changes whenever another one could misread a snapshot.
const snapshotVersion = 1

// mostUnits bounds restored counts of units, so that sums of them and of costs stay
// within int64.
const mostUnits = 1 << 60

// A snapshot is what a partition knows that is worth keeping until the program runs again. Times are
// counted from the moment when it was taken; absent is zero.
type snapshot struct {
	Version int
	Units   []string        `json:",omitempty"` // besides requests
	Routed  bool            `json:",omitempty"` // limits were told of by different routes; which, is not kept
	Granted bool            `json:",omitempty"` // the first credit is used up
	Limits  []limitSnapshot `json:",omitempty"`
	Places  placesSnapshot
	Gate    gateSnapshot
	Trial   *trialSnapshot `json:",omitempty"`
}

// A limitSnapshot is a limit as it is believed to be.
type limitSnapshot struct {
	Policy, Key                    string `json:",omitempty"`
	Unit                           uint8  `json:",omitempty"`
	Quota                          int64
	Window                         time.Duration
	QuotaTold, WindowTold, Matched bool `json:",omitempty"`

	Believed  uint8               `json:",omitempty"`
	Against   [candidates]float32 // what speaks against each
	Before    float32             `json:",omitempty"` // see slidingCounter
	Remaining int64               // as last told; Unknown if never
	Since     int64               `json:",omitempty"` // units sent since
	InWindow  int64               `json:",omitempty"` // units sent since the window began
	At        time.Duration       `json:",omitempty"` // when that was told
	EndAfter  time.Duration       `json:",omitempty"`
	EndBy     time.Duration       `json:",omitempty"`
	Slots     []uint16            `json:",omitempty"` // units sent within the last window, oldest first
	Own, All  float32             `json:",omitempty"` // the share
	Line      time.Duration       `json:",omitempty"` // the theoretical arrival time
	Owed      float32             `json:",omitempty"`
	Held      time.Duration       `json:",omitempty"`
	Usual     float64             `json:",omitempty"` // what a request uses
	Charged   float32             `json:",omitempty"`
	Spent     float32             `json:",omitempty"`
	Back      float32             `json:",omitempty"`
	Falls     int8                `json:",omitempty"` // see resetUnit
}

type placesSnapshot struct {
	Advertised int64   `json:",omitempty"`
	Most       float64 `json:",omitempty"`
	Cut, Guess bool    `json:",omitempty"`
}

type gateSnapshot struct {
	Until, Told, Late time.Duration `json:",omitempty"`
	Only              LimitSet      `json:",omitempty"` // by the index in Limits
	Rounds            uint8         `json:",omitempty"`
	Alone, Wins       bool          `json:",omitempty"`
}

type trialSnapshot struct {
	Begun, Last, Took, Load time.Duration `json:",omitempty"`
	Successes               int64         `json:",omitempty"`
	Ended                   bool          `json:",omitempty"`
	Unexplained             uint8         `json:",omitempty"`
	Start                   float64       `json:",omitempty"`
}

// Snapshot returns what is known now, for Restore: everything but what is in flight, and which
// limits apply to which route. It is JSON, and its form is this package's own. It changes
// nothing. What is in flight counts as sent, as its answers will be those of another
// process.
func (p *Partition) Snapshot(now Instant) []byte {
	s := snapshot{
		Version: snapshotVersion, Units: slices.Clone(p.Units()), Routed: p.divided() != 0,
		Granted: p.anywhere.grants == firstGrants || p.routes != nil,
		Places: placesSnapshot{
			Advertised: p.places.advertised, Most: finite(p.places.most),
			Cut: p.places.cut, Guess: p.places.guess,
		},
		Gate: gateSnapshot{
			Until: ago(now, p.gate.until), Told: ago(now, p.gate.told), Late: p.gate.slack(),
			Rounds: p.gate.rounds, Alone: p.gate.alone, Wins: p.gate.wins,
		},
	}
	if t := p.trial; t != nil {
		s.Trial = &trialSnapshot{
			Begun: ago(now, t.begun), Last: ago(now, t.last), Took: t.took, Load: t.load,
			Successes: int64(t.n), Ended: t.ended, Unexplained: t.unexplained, Start: finite(t.start),
		}
	}
	for rest := p.live; rest != 0; rest = rest.rest() {
		if p.gate.only&placeOf(rest.first()) != 0 {
			s.Gate.Only |= placeOf(len(s.Limits))
		}
		s.Limits = append(s.Limits, p.limits[rest.first()].snapshot(now))
	}
	data, err := json.Marshal(&s)
	if err != nil {
		panic("pacer: " + err.Error()) // all floats are finite
	}
	return data
}

func (l *limit) snapshot(now Instant) limitSnapshot {
	id := l.id.Value()
	end, index := l.window.open(&l.account, now)
	s := limitSnapshot{
		Policy: id.policy, Key: id.key, Unit: l.unit, Quota: l.quota, Window: l.account.window,
		QuotaTold: l.quotaTold, WindowTold: l.windTold, Matched: l.matched,
		Believed: l.belief.believed, Against: l.belief.against, Before: finite(l.counter.before), Remaining: l.remaining, Since: l.units - l.mark, At: ago(now, l.at),
		EndAfter: ago(now, end.lo), EndBy: ago(now, end.hi),
		Own: finite(l.share.own), All: finite(l.share.all),
		Line: ago(now, l.arrival.line), Owed: finite(l.arrival.owed), Held: ago(now, l.held), Falls: l.reset.falls,
	}
	if index > 0 && !l.refills() && l.remaining != Unknown {
		s.Remaining, s.Since = l.quota, l.quota-l.window.left(&l.account, index)
	}
	if index <= int64(l.window.index) {
		s.InWindow = l.units - l.window.began
	}
	if h := l.history; h != nil {
		for i := h.newest - historySlots + 1; i <= h.newest; i++ {
			s.Slots = append(s.Slots, h.slots[(i+historySlots)%historySlots])
		}
	}
	if e := l.estimate; e != nil {
		s.Usual, s.Charged, s.Spent, s.Back = finite(e.usual), finite(e.charged), finite(e.spent), finite(e.back)
	}
	return s
}

// ago is a time as one before or after now; 0 says nothing on either clock.
func ago(now, at Instant) time.Duration {
	if at == 0 {
		return 0
	}
	if d := at.Sub(now); d != 0 {
		return d
	}
	return 1
}

// Restore returns a partition that knows what the snapshot in data holds, which was taken
// passed before now (0 or more). Times before now's origin become its first. Windows that have
// ended since, begin anew as always. Nothing is in flight. cfg is kept as in New; nothing of data
// is.
//
// Values that no partition has are replaced by the nearest possible ones, and no
// restored time or interval is longer than most, whatever data hold. The error is
// ErrSnapshot, wrapped, if data are no snapshot.
func Restore(cfg *Config, data []byte, now Instant, passed, most time.Duration) (Partition, error) {
	var s snapshot
	if err := json.Unmarshal(data, &s); err != nil || s.Version != snapshotVersion {
		return Partition{}, ErrSnapshot
	}
	r := restorer{now: now, taken: now.Add(-max(passed, 0)), most: max(most, 1)}
	p := New(cfg)
	if s.Granted {
		p.anywhere.grants = firstGrants
	}
	if s.Routed {
		p.routes = &routes{}
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
	p.places, p.gate, p.trial = r.places(&s.Places), r.gate(&s.Gate), r.trial(s.Trial)
	p.gate.only = s.Gate.Only & p.live
	return p, nil
}

// A restorer takes what was known on another clock to this one.
type restorer struct {
	now   Instant
	taken Instant // when the snapshot was
	most  time.Duration
}

// at moves a time, which may be in the future.
func (r *restorer) at(d time.Duration) Instant {
	if d == 0 {
		return 0
	}
	return min(max(r.taken.Add(d), 1), r.now.Add(r.most))
}

// past moves the time of something that has happened.
func (r *restorer) past(d time.Duration) Instant { return min(r.at(d), r.now) }

// limit restores a limit. Its marks are before the first unit that is sent here.
func (r *restorer) limit(in *limitSnapshot) limit {
	l := newLimit(0, identity{in.Policy, in.Key}, in.Unit)
	l.grants, l.matched, l.shown = firstGrants, in.Matched, true
	l.quota, l.quotaTold = max(in.Quota, 0), in.QuotaTold
	l.account.window = min(max(in.Window, 0), scale(r.most, float64(max(l.quota, 1))))
	l.windTold = in.WindowTold && l.account.window > 0
	l.remaining, l.mark = max(in.Remaining, Unknown), -within64(in.Since)
	l.sent, l.at, l.early = r.past(in.At), r.past(in.At), float32(within64(in.Since)) // what was in flight may never have got there
	l.window.told = span{lo: min(r.at(in.EndAfter), r.at(in.EndBy)), hi: r.at(in.EndBy)}
	l.window.began = -within64(in.InWindow)
	l.belief.believed = min(in.Believed, candidates-1)
	for i, against := range in.Against {
		l.belief.against[i] = within(against, 0, beliefMost)
	}
	l.counter.before = within(in.Before, 0, mostUnits)
	l.share = share{own: within(in.Own, 0, mostUnits), all: within(in.All, 0, mostUnits)}
	l.share.settle()
	l.arrival = arrival{line: r.at(in.Line), owed: within(in.Owed, -MostCost, MostCost)}
	l.held = r.at(in.Held)
	l.reset.falls = min(max(in.Falls, -1), milliSure)
	if e := l.estimate; e != nil {
		e.usual, e.charged = within(in.Usual, 0, MostCost), within(in.Charged, 0, mostUnits)
		e.spent, e.back = within(in.Spent, 0, mostUnits), within(in.Back, 0, MostCost)
	}
	if len(in.Slots) > 0 {
		l.history = new(history)
		l.history.add(r.taken, l.account.window, 0)
	}
	for i, n := range in.Slots[:min(len(in.Slots), historySlots)] {
		l.history.slots[(l.history.newest+1+int64(i))%historySlots] = n
	}
	l.counted = float32(l.recent().within(l.at, l.account.window))
	return l
}

func (r *restorer) places(in *placesSnapshot) places {
	c := places{
		advertised: max(in.Advertised, 0), most: within(in.Most, Unknown, mostUnits),
		cut: in.Cut, guess: in.Guess, last: r.now,
	}
	switch {
	case c.cut, c.most > 0: // some number of them
		c.most = max(c.most, 1)
	case c.most < 0:
		c.most = Unknown
	}
	return c
}

func (r *restorer) gate(in *gateSnapshot) gate {
	return gate{
		until: r.at(in.Until), told: r.at(in.Told), late: int32(min(max(in.Late, 0), rounding)),
		rounds: in.Rounds, alone: in.Alone, wins: in.Wins,
	}
}

func (r *restorer) trial(in *trialSnapshot) *trial {
	if in == nil {
		return nil
	}
	t := &trial{
		begun: r.past(in.Begun), last: r.past(in.Last), took: min(max(in.Took, 0), r.most), load: min(max(in.Load, 0), r.most),
		n: uint32(min(max(in.Successes, 0), 1<<31)), ended: in.Ended, unexplained: min(in.Unexplained, unexplainedMost),
	}
	if in.Start > 0 { // its interval is neither longer than most nor shorter than a nanosecond
		t.start = within(in.Start, 1/float64(r.most), 1)
	}
	return t
}

func within64(n int64) int64 { return min(max(n, 0), mostUnits) }
