package limit

import (
	"math"
	"slices"
)

const (
	entries  = 30  // in a window. Units closer together share one. More: memory. Less: a log's returns are known less exactly
	peakPart = 3.0 // windows in which the largest r counts, once or twice. More: a bucket that holds less now is refused. Less: light use hides what it holds
)

// A history is what was sent of late, and what was there.
type history struct {
	Own      []entry
	Peaks    [2]float64 // the largest numbers of units that were there, in this period and in the last one
	Peaked   float64    // when this period began
	OthersAt float64    // when others certainly used units for the last time: r fell by more than own units, or refused
}

// An entry is some own units that were sent close together.
type entry struct{ First, Last, Units float64 }

// Count counts own units that are sent now.
func (l *Limit) Count(now, units float64) {
	l.Units += units
	if last := l.History.last(); last != nil && l.isTogether(now, last) {
		last.Units += units
		last.Last = max(now, last.Last)
		return
	}
	own, n, old := l.History.Own, len(l.History.Own), 0
	for old < n && (own[old].Last < now-l.Window*(1+2.0/entries) || n-old >= 2*entries) {
		old++
	}
	l.History.Own = append(slices.Delete(own, 0, old), entry{now, now, units})
}

// isTogether reports whether units that are sent now share the last entry: it is recent, and of the same window.
func (l *Limit) isTogether(now float64, last *entry) bool {
	begun := l.endAt(now).Hi - l.Window
	isEdge := l.Belief.Believed != asBucket && l.Belief.Believed != asLog && last.Last < begun && now >= begun
	return now-last.First <= l.Window/entries && !isEdge
}

// last returns the last entry; nil if there is none.
func (p *history) last() *entry {
	if len(p.Own) == 0 {
		return nil
	}
	return &p.Own[len(p.Own)-1]
}

// since returns how many own units were sent from a time on.
func (l *Limit) since(t float64) (n float64) {
	h := l.History.Own
	for i := len(h) - 1; i >= 0 && h[i].Last >= t; i-- {
		if h[i].First >= t {
			n += h[i].Units
		} else {
			n += h[i].Units * (h[i].Last - t) / (h[i].Last - h[i].First)
		}
	}
	return n
}

// peak keeps the largest numbers of units that were there. The first request finds out what is there, and may be late.
func (l *Limit) peak(now, units float64) {
	p, period := &l.History, peakPart*l.Window
	if l.Units <= 1 {
		return
	}
	if p.Peaked == 0 || now-p.Peaked > period {
		if p.Peaks[1] = p.Peaks[0]; now-p.Peaked > 2*period {
			p.Peaks[1] = 0
		}
		p.Peaks[0], p.Peaked = 0, now
	}
	p.Peaks[0] = max(p.Peaks[0], units)
}

// holds returns the largest number of units that were there of late, which is all that a bucket may hold.
func (l *Limit) holds() float64 {
	if l.History.Peaks == [2]float64{} {
		return math.Inf(1)
	}
	return max(l.History.Peaks[0], l.History.Peaks[1])
}

// forget takes units out of the history that the server has not counted.
func (l *Limit) forget(units float64) {
	for h := l.History.Own; len(h) > 0 && units > 0; h = h[:len(h)-1] {
		last := &h[len(h)-1]
		n := min(last.Units, units)
		last.Units -= n
		units -= n
	}
}
