package pacer

import (
	"cmp"
	"errors"
	"math"
	"math/bits"
	"time"
	"unique"

	"github.com/headway-go/headway/limits"
)

// ErrSnapshot is returned by Restore if data are no snapshot, or one of another version.
var ErrSnapshot = errors.New("pacer: not a snapshot of this version")

// snapshotVersion changes whenever another version could misread a snapshot.
const snapshotVersion = 4

// Snapshot returns the partition's state for Restore, in this package's own format, and changes nothing. Requests in
// flight count as sent, because another process does not get their responses. Left out are tickets, the margin of
// times, haste, period, parts of a fleet, the own rate, the best rate of trials, and which limits apply to a route.
func (p *Partition) Snapshot(now Instant) []byte {
	c, kept := codec{taken: now, now: now, latest: Never}, *p
	kept.keep(&c)
	return c.data
}

// Restore returns a partition with the state in data. The time since that snapshot was taken is passed, 0 or more.
// Times before the origin of now become the origin. Windows that have ended since then begin again as usual. No
// request is in flight. The partition keeps cfg as in New, and nothing of data.
//
// Impossible values are replaced by the nearest possible ones, and no restored time or interval is longer
// than most, whatever data contain. The error is ErrSnapshot if data are no snapshot.
func Restore(cfg *Config, data []byte, now Instant, passed, most time.Duration) (Partition, error) {
	taken := now.Add(-max(passed, 0))
	c := codec{data: data, reading: true, taken: taken, now: now, latest: now.Add(max(most, 1))}
	p := New(cfg)
	if p.keep(&c); c.damaged || len(c.data) > 0 {
		return Partition{}, ErrSnapshot
	}
	return p, nil
}

// keep writes or reads the partition. For writing, p is a copy.
func (p *Partition) keep(c *codec) {
	c.damaged = c.word(snapshotVersion) != snapshotVersion || c.damaged
	var units [MaxOthers]limits.Unit
	copy(units[:], p.Units())
	for _, unit := range units {
		name := string(unit)
		c.text(&name)
		p.unit(limits.Unit(name))
	}
	isRouted := p.divided() != 0
	if c.flag(&isRouted); isRouted && c.reading { // responses show again which limit applies to which route
		p.routes, p.anywhere.fresh = &routes{}, true
	}
	p.anywhere.said = p.anywhere.said || c.reading // a new limit of a client that has sent before gets no first burst
	t := valueOf(p.trial)
	if t.keep(c); t != (trial{}) {
		p.trial = &t
	}
	p.arrival.keep(c)
	p.places.keep(c)
	g := valueOf(p.gate)
	g.keep(c)
	count(c, &p.live, 0, placeOf(maxLimits)-1)
	limits := make([]limit, bits.Len32(uint32(p.live)))
	for s := p.live; s != 0; s = s.rest() {
		i := s.first()
		if limits[i] = newLimit(0, identity{}, 0); !c.reading {
			limits[i] = p.limits[i]
		}
		limits[i].keep(c, uint8(len(p.Units())))
	}
	p.limits = limits
	count(c, &g.only, 0, p.live)
	if g.only &= p.live; g != (gate{}) {
		p.gate = &g
	}
}

func (g *gate) keep(c *codec) {
	c.time(&g.until, c.latest)
	c.time(&g.firm, g.until)
	c.time(&g.last, c.now)
	count(c, &g.looks, 0, 8)
	count(c, &g.rounds, 0, math.MaxUint8)
	c.flag(&g.alone)
	g.told = g.until
}

func (l *limit) keep(c *codec, units uint8) {
	id, k := l.id.Value(), valueOf(l.kept)
	c.text(&id.policy)
	c.text(&id.key)
	l.id = unique.Make(identity{ShortName(id.policy), ShortName(id.key)})
	count(c, &l.unit, 0, units)
	count(c, &l.quota, 0, math.MaxInt64)
	count(c, &l.window, 0, scale(c.latest.Sub(c.now), float64(max(l.quota, 1))))
	c.flag(&l.quotaTold)
	count(c, &l.source, fromReset, fromCounts)
	c.flag(&l.matched)
	count(c, &l.remaining, Unknown, math.MaxInt64)
	c.since(&l.mark, l.units)
	c.time(&l.at, c.now)
	c.since(&l.ends.began, l.units)
	count(c, &l.ends.index, 0, math.MaxInt32)
	c.time(&l.ends.told.hi, c.latest)
	c.time(&l.ends.told.lo, l.ends.told.hi)
	number(c, &l.ends.phase, 0, 1)
	count(c, &l.belief.believed, 0, candidates-1)
	for i := range k.against {
		number(c, &k.against[i], 0, beliefMost)
	}
	number(c, &k.before, 0, mostUnits)
	number(c, &l.share.own, 0, mostUnits)
	number(c, &l.share.all, 0, mostUnits)
	l.arrival.keep(c)
	c.time(&k.held, c.latest)
	c.time(&k.firm, c.latest)
	count(c, &l.looks, 0, 8)
	count(c, &l.reset.falls, 0, milliSure+1)
	usual := cmp.Or(l.estimate, &estimate{}).usual()
	if number(c, &usual, 0, MostCost); l.unit > 0 {
		l.estimate = &estimate{requests: 1, charged: float32(usual), spent: float32(usual)}
	}
	h := k.history
	h.add(c.taken, l.window, 0)
	for i := range int64(historySlots) {
		n := int64(h.at(h.newest + 1 + i))
		count(c, &n, 0, math.MaxUint16)
		h.set(h.newest+1+i, n)
	}
	if k.counted = float32(h.within(l.at, l.window)); h.slots != [historySlots]uint16{} {
		k.history = h
	}
	if k != (past{}) {
		l.kept = &k
	}
	if l.granted = true; l.window == 0 {
		l.source = fromReset
	}
	l.sent, l.ahead = l.at, float32(l.units-l.mark) // requests in flight may never have arrived
	l.share.settle()
}

func (c *arrival) keep(to *codec) {
	to.time(&c.line, to.latest)
	number(to, &c.owed, -MostCost, MostCost)
}

func (c *places) keep(to *codec) {
	most := int64(c.most) // fractions of a place are not stored
	count(to, &most, Unknown, mostUnits)
	count(to, &c.advertised, 0, math.MaxInt64)
	to.flag(&c.cut)
	c.most, c.cut, c.last = float64(most), c.cut && most > 0, to.now
}

func (t *trial) keep(c *codec) {
	c.time(&t.begun, c.now)
	c.time(&t.last, c.now)
	longest := c.latest.Sub(c.now)
	count(c, &t.over, 0, math.MaxInt32)
	count(c, &t.load, 0, longest)
	count(c, &t.n, 0, math.MaxInt32)
	count(c, &t.unexplained, 0, unexplainedMost)
	c.flag(&t.ended)
	number(c, &t.start, 0, 1)
}
