package limit

import (
	"math"

	"github.com/headway-go/headway/pacer/internal/codec"
)

// Serialize writes or reads the limit. For writing, l is a copy.
func (l *Limit) Serialize(c *codec.Codec, held float64) {
	codec.Number(c, &l.Quota, 0, math.MaxInt64)
	l.Quota = math.Floor(l.Quota)
	codec.Number(c, &l.Window, 0, mostGuess*max(1, l.Quota)) // so that a wrong one is not less than a unit per hour
	if l.Window < eps {
		l.Window = 0
	}
	c.Flag(&l.HasQuota)
	l.length = codec.Optional(c, l.length)
	codec.Number(c, &l.Left, -1, math.MaxInt64)
	own := l.own()
	codec.Number(c, &own, 0, codec.MostUnits)
	c.Time(&l.seen, c.Now)
	c.Time(&l.ends.hi, c.Latest)
	c.Time(&l.ends.lo, l.ends.hi)
	codec.Count(c, &l.belief.believed, 0, candidates-1)
	for i := range l.belief.scores {
		codec.Number(c, &l.belief.scores[i], 0, beliefMost)
	}
	codec.Number(c, &l.before, 0, codec.MostUnits)
	codec.Number(c, &l.share.own, 0, codec.MostUnits)
	codec.Number(c, &l.share.all, 0, codec.MostUnits)
	l.Line.Serialize(c, max(c.Now, held)+l.Window, codec.MostUnits)
	if l.history = codec.Optional(c, l.history); l.history != nil {
		l.history.serialize(c)
	}
	if c.Reading {
		l.Granted, l.Units, l.Mark = true, own, 0
		l.sent, l.Ahead = l.seen, float32(own) // requests in flight may never have arrived
		l.share.settle()
	}
}

func (p *history) serialize(c *codec.Codec) {
	n := len(p.own)
	codec.Count(c, &n, 0, 2*entries)
	own := make([]entry, n)
	copy(own, p.own)
	p.own = own
	for i := range own {
		e := &own[i]
		c.Time(&e.last, c.Now)
		c.Time(&e.first, e.last)
		codec.Number(c, &e.units, 0, codec.MostUnits)
	}
	for i := range p.peaks {
		codec.Number(c, &p.peaks[i], 0, codec.MostUnits)
	}
	c.Time(&p.peaked, c.Now)
	c.Time(&p.othersAt, c.Now)
}
