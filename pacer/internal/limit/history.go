package limit

import (
	"math"
	"slices"
)

const (
	entries  = 30  // in a window. Units closer together share one. More: memory. Less: a log's returns are known less exactly
	peakPart = 3.0 // windows in which the largest r counts, once or twice. More: a bucket that holds less now is refused. Less: light use hides what it holds
)

// A history has what a limit needs from its second unit on. Many limits never get one, so it has memory of its own.
type history struct {
	own      []entry
	peaks    [2]float32 // the largest numbers of units that were there, in this period and in the last one
	peaked   float64    // when this period began
	othersAt float64    // when others certainly used units for the last time: r fell by more than own units, or refused
}

// An entry is some own units that were sent close together.
type entry struct{ first, last, units float64 }

// Count counts own units that are sent now.
func (l *Limit) Count(now, units float64) {
	l.Units += units
	if l.history == nil {
		if l.Units <= 1 { // a single unit is not worth the memory
			return
		}
		l.history = &history{}
		if before := l.Units - units; before > 0 {
			l.history.own = append(l.history.own, entry{l.sent, l.sent, before})
		}
	}
	if last := l.history.last(); last != nil && l.isTogether(now, last) {
		last.units += units
		last.last = max(now, last.last)
		return
	}
	own, n, old := l.history.own, len(l.history.own), 0
	for old < n && (own[old].last < now-l.Window*(1+2.0/entries) || n-old >= 2*entries) {
		old++
	}
	l.history.own = append(slices.Delete(own, 0, old), entry{now, now, units})
}

// isTogether reports whether units that are sent now share the last entry: it is recent, and of the same window.
func (l *Limit) isTogether(now float64, last *entry) bool {
	begun := l.endAt(now).hi - l.Window
	isEdge := l.belief.believed != asBucket && l.belief.believed != asLog && last.last < begun && now >= begun
	return now-last.first <= l.Window/entries && !isEdge
}

// last returns the last entry; nil if there is none.
func (p *history) last() *entry {
	if p == nil || len(p.own) == 0 {
		return nil
	}
	return &p.own[len(p.own)-1]
}

// since returns how many own units were sent from a time on.
func (l *Limit) since(t float64) (n float64) {
	if l.history == nil {
		if l.sent >= t {
			return l.Units
		}
		return 0
	}
	h := l.history.own
	for i := len(h) - 1; i >= 0 && h[i].last >= t; i-- {
		if h[i].first >= t {
			n += h[i].units
		} else {
			n += h[i].units * (h[i].last - t) / (h[i].last - h[i].first)
		}
	}
	return n
}

// peak keeps the largest numbers of units that were there.
func (p *history) peak(now, units, window float64) {
	if p == nil {
		return
	}
	if p.peaked == 0 || now-p.peaked > peakPart*window {
		if p.peaks[1] = p.peaks[0]; now-p.peaked > 2*peakPart*window {
			p.peaks[1] = 0
		}
		p.peaks[0], p.peaked = 0, now
	}
	p.peaks[0] = max(p.peaks[0], float32(units))
}

// holds returns the largest number of units that were there of late, which is all that a bucket may hold.
func (l *Limit) holds() float64 {
	if l.history == nil || l.history.peaks == [2]float32{} {
		return math.Inf(1)
	}
	return float64(max(l.history.peaks[0], l.history.peaks[1]))
}

// forget takes units out of the history that the server has not counted.
func (l *Limit) forget(units float64) {
	if l.history == nil {
		return
	}
	for h := l.history.own; len(h) > 0 && units > 0; h = h[:len(h)-1] {
		last := &h[len(h)-1]
		n := min(last.units, units)
		last.units -= n
		units -= n
	}
}
