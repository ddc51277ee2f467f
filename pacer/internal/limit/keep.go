package limit

import (
	"math"

	"github.com/headway-go/headway/pacer/internal/keep"
)

// Keep writes or reads the limit.
func (l *Limit) Keep(c *keep.Codec, held float64) {
	keep.Number(c, &l.quota, 0, math.MaxInt64)
	l.quota = math.Floor(l.quota)
	keep.Number(c, &l.window, 0, (c.Latest-c.Now)*max(1, l.quota))
	if l.window < eps {
		l.window = 0
	}
	c.Flag(&l.quotaTold)
	isGuess := l.length != nil
	c.Flag(&isGuess)
	keep.Number(c, &l.left, -1, math.MaxInt64)
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
	l.line.Keep(c, max(c.Now, held)+l.window, keep.MostUnits)
	hasPast := l.past != nil
	if c.Flag(&hasPast); hasPast {
		l.past = l.past.keep(c)
	}
	if !c.Reading {
		return
	}
	l.granted, l.restored, l.units, l.mark = true, true, own, 0
	l.sent, l.ahead = l.seen, float32(own) // requests in flight may never have arrived
	if isGuess {
		l.length = &length{}
	}
	l.share.settle()
}

// keep writes or reads a copy of the past.
func (p *past) keep(c *keep.Codec) *past {
	var kept past
	if p != nil {
		kept = *p
	}
	n := len(kept.history)
	keep.Count(c, &n, 0, 2*entries)
	history := make([]entry, n)
	copy(history, kept.history)
	kept.history = history
	for i := range history {
		e := &history[i]
		c.Time(&e.last, c.Now)
		c.Time(&e.first, e.last)
		keep.Number(c, &e.units, 0, keep.MostUnits)
	}
	for i := range kept.peaks {
		keep.Number(c, &kept.peaks[i], 0, float32(keep.MostUnits))
	}
	c.Time(&kept.peaked, c.Now)
	c.Time(&kept.others, c.Now)
	return &kept
}
