package pacer

import (
	"encoding/binary"
	"errors"
	"math"
	"time"
)

// ErrSnapshot is what Restore returns for data that are no snapshot, or one of another version.
var ErrSnapshot = errors.New("pacer: not a snapshot of this version")

const (
	snapshotVersion = 2       // changes whenever another one could misread a snapshot
	mostUnits       = 1 << 60 // that are restored: more would overflow in sums of them and of costs
)

// A codec goes through what is kept of a partition, field by field: it writes the fields, or reads
// them and takes what no partition can have for the nearest that one can. So each part lists
// its fields once. A number is a varint, a time is one that counts from when the snapshot was taken.
//
// Say 20 of 60 units were left when that was told, five seconds before the snapshot, and two were sent since. Then 20, −5 s
// and 2 are written. Restored a minute later, 18 units are left of a window that has ended.
type codec struct {
	data    []byte
	reading bool
	damaged bool
	taken   Instant
	now     Instant
	longest time.Duration // that a restored time is ahead
}

// Snapshot returns what is known now, for Restore: everything but what is in flight, and which
// limits apply to which route. Its form is this package's own. It changes nothing. What is in
// flight counts as sent, as its answers will be those of another process.
func (p *Partition) Snapshot(now Instant) []byte {
	c, kept := codec{taken: now, now: now, longest: math.MaxInt64}, *p
	kept.keep(&c)
	return c.data
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
	c := codec{data: data, reading: true, taken: now.Add(-max(passed, 0)), now: now, longest: max(most, 1)}
	p := New(cfg)
	p.keep(&c)
	if c.damaged || len(c.data) > 0 {
		return Partition{}, ErrSnapshot
	}
	p.places.last = now
	return p, nil
}

// keep lists what is kept of a partition. Where the codec writes, it is a copy.
func (p *Partition) keep(c *codec) {
	c.damaged = c.word(snapshotVersion) != snapshotVersion || c.damaged
	var units [MaxOthers]string
	copy(units[:], p.Units())
	for _, name := range units {
		c.text(&name)
		p.unit(name)
	}
	isRouted, isGranted := p.divided() != 0, p.anywhere.grants == firstGrants || p.routes != nil
	if c.flag(&isRouted); isRouted && c.reading { // which limit is of which route is not kept
		p.routes, p.anywhere.fresh = &routes{}, true
	}
	if c.flag(&isGranted); isGranted {
		p.anywhere.grants = firstGrants
	}
	p.arrival.keep(c)
	p.places.keep(c)
	p.gate.keep(c)
	p.keepTrial(c)
	p.keepLimits(c)
}

func (p *Partition) keepLimits(c *codec) {
	var all []limit
	for s := p.live; s != 0; s = s.rest() {
		all = append(all, p.limits[s.first()])
	}
	n := len(all)
	count(c, &n, 0, maxLimits)
	for i := range n {
		if c.reading {
			all = append(all, newLimit(0, identity{}, 0))
		}
		all[i].keep(c, len(p.Units()))
	}
	p.limits, p.live = all, placeOf(n)-1
}

func (l *limit) keep(c *codec, units int) {
	id := l.id.Value()
	c.text(&id.policy)
	c.text(&id.key)
	l.id = identify(id)
	count(c, &l.unit, 0, uint8(units))
	count(c, &l.quota, 0, math.MaxInt64)
	count(c, &l.account.window, 0, scale(c.longest, float64(max(l.quota, 1))))
	c.flag(&l.quotaTold)
	c.flag(&l.windTold)
	c.flag(&l.matched)
	count(c, &l.remaining, Unknown, math.MaxInt64)
	c.since(&l.mark, l.units)
	c.past(&l.at)
	c.since(&l.window.began, l.units)
	count(c, &l.window.index, 0, math.MaxInt32)
	c.time(&l.window.told.hi)
	c.time(&l.window.told.lo)
	number(c, &l.window.phase, 0, 1)
	count(c, &l.belief.believed, 0, candidates-1)
	for i := range l.belief.against {
		number(c, &l.belief.against[i], 0, beliefMost)
	}
	number(c, &l.counter.before, 0, mostUnits)
	number(c, &l.share.own, 0, mostUnits)
	number(c, &l.share.all, 0, mostUnits)
	l.arrival.keep(c)
	c.time(&l.held)
	count(c, &l.reset.falls, -1, milliSure)

	l.keepHistory(c)
	var e estimate
	if l.estimate != nil {
		e = *l.estimate
	}
	if number(c, &e.usual, 0, MostCost); l.unit > 0 {
		l.estimate = &e
	}

	l.grants, l.shown, l.windTold = firstGrants, true, l.windTold && l.account.window > 0
	l.sent, l.early = l.at, float32(l.units-l.mark) // what was in flight may never have got there
	l.window.told.lo = min(l.window.told.lo, l.window.told.hi)
	l.share.settle()
}

func (l *limit) keepHistory(c *codec) {
	has := l.history != nil
	if c.flag(&has); !has {
		return
	}
	h := *l.recent()
	h.add(c.taken, l.account.window, 0)
	for i := range int64(historySlots) {
		count(c, &h.slots[(h.newest+1+i)%historySlots], 0, math.MaxUint16)
	}
	l.history = &h
	l.counted = float32(h.within(l.at, l.account.window))
}

func (a *arrival) keep(c *codec) {
	c.time(&a.line)
	number(c, &a.owed, -MostCost, MostCost)
}

func (s *places) keep(c *codec) {
	count(c, &s.advertised, 0, math.MaxInt64)
	number(c, &s.most, unbounded, mostUnits)
	c.flag(&s.cut)
	switch {
	case s.most > 0:
		s.most = max(s.most, coldPlaces)
	case s.most < 0:
		s.most = unbounded
	}
	s.cut = s.cut && s.most > 0
}

func (g *gate) keep(c *codec) {
	c.time(&g.until)
	count(c, &g.rounds, 0, mostRounds)
	c.flag(&g.alone)
}

func (p *Partition) keepTrial(c *codec) {
	is := p.trial != nil
	if c.flag(&is); !is {
		return
	}
	var t trial
	if p.trial != nil {
		t = *p.trial
	}
	c.past(&t.begun)
	c.past(&t.last)
	count(c, &t.took, 0, c.longest)
	count(c, &t.load, 0, c.longest)
	count(c, &t.n, 0, math.MaxInt32)
	count(c, &t.unexplained, 0, unexplainedMost)
	c.flag(&t.ended)
	if number(c, &t.start, 0, 1); t.start > 0 {
		t.start = max(t.start, 1/float64(c.longest))
	}
	p.trial = &t
}

// word writes a number or reads one.
func (c *codec) word(n int64) int64 {
	if !c.reading {
		c.data = binary.AppendVarint(c.data, n)
		return n
	}
	n, size := binary.Varint(c.data)
	if size <= 0 {
		c.data, c.damaged = nil, true
		return 0
	}
	c.data = c.data[size:]
	return n
}

func (c *codec) text(s *string) {
	n := c.word(int64(len(*s)))
	switch {
	case !c.reading:
		c.data = append(c.data, *s...)
	case n < 0 || n > int64(len(c.data)):
		c.data, c.damaged = nil, true
	default:
		*s, c.data = string(c.data[:n]), c.data[n:]
	}
}

func (c *codec) flag(is *bool) {
	n := 0
	if *is {
		n = 1
	}
	count(c, &n, 0, 1)
	*is = n == 1
}

// time keeps a time, which may be in the future; 0 stays 0.
func (c *codec) time(t *Instant) {
	isSet := *t != 0
	if c.flag(&isSet); isSet {
		*t = min(max(c.taken.Add(time.Duration(c.word(int64(t.Sub(c.taken))))), 1), c.now.Add(c.longest))
	}
}

// past keeps the time of something that has happened.
func (c *codec) past(t *Instant) {
	c.time(t)
	*t = min(*t, c.now)
}

// since keeps how many units were sent since some were. None are when they are restored.
func (c *codec) since(mark *int64, units int64) {
	n := units - *mark
	count(c, &n, 0, mostUnits)
	*mark = units - n
}

func count[N ~int | ~uint8 | ~int8 | ~uint16 | ~int32 | ~uint32 | ~int64](c *codec, n *N, least, most N) {
	*n = N(min(max(c.word(int64(*n)), int64(least)), int64(most)))
}

func number[F float32 | float64](c *codec, f *F, least, most float64) {
	n := c.word(int64(math.Float64bits(float64(*f))))
	*f = F(within(math.Float64frombits(uint64(n)), least, most))
}
