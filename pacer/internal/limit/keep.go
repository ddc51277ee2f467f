package limit

import (
	"math"

	"github.com/headway-go/headway/pacer/internal/keep"
)

// Keep writes or reads the limit. For writing, l is a copy.
func (l *Limit) Keep(c *keep.Codec, held float64) {
	keep.Number(c, &l.Quota, 0, math.MaxInt64)
	l.Quota = math.Floor(l.Quota)
	keep.Number(c, &l.Window, 0, mostGuess*max(1, l.Quota)) // so that a wrong one is not less than a unit per hour
	if l.Window < eps {
		l.Window = 0
	}
	c.Flag(&l.HasQuota)
	l.length = keep.Optional(c, l.length)
	keep.Number(c, &l.Left, -1, math.MaxInt64)
	own := l.own()
	keep.Number(c, &own, 0, keep.MostUnits)
	c.Time(&l.seen, c.Now)
	c.Time(&l.ends.hi, c.Latest)
	c.Time(&l.ends.lo, l.ends.hi)
	keep.Count(c, &l.belief.believed, 0, candidates-1)
	for i := range l.belief.scores {
		keep.Number(c, &l.belief.scores[i], 0, beliefMost)
	}
	keep.Number(c, &l.before, 0, keep.MostUnits)
	keep.Number(c, &l.share.own, 0, keep.MostUnits)
	keep.Number(c, &l.share.all, 0, keep.MostUnits)
	l.Line.Keep(c, max(c.Now, held)+l.Window, keep.MostUnits)
	if l.past = keep.Optional(c, l.past); l.past != nil {
		l.past.keep(c)
	}
	if c.Reading {
		l.Granted, l.Units, l.Mark = true, own, 0
		l.sent, l.Ahead = l.seen, float32(own) // requests in flight may never have arrived
		l.share.settle()
	}
}

func (p *past) keep(c *keep.Codec) {
	n := len(p.history)
	keep.Count(c, &n, 0, 2*entries)
	history := make([]entry, n)
	copy(history, p.history)
	p.history = history
	for i := range history {
		e := &history[i]
		c.Time(&e.last, c.Now)
		c.Time(&e.first, e.last)
		keep.Number(c, &e.units, 0, keep.MostUnits)
	}
	for i := range p.peaks {
		keep.Number(c, &p.peaks[i], 0, keep.MostUnits)
	}
	c.Time(&p.peaked, c.Now)
	c.Time(&p.othersAt, c.Now)
}
