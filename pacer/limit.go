package pacer

import (
	"strings"
	"time"
	"unique"
)

// limit is what is known of one policy, and the pace that it asks for. reading.go
// learns; this file and floor.go decide.
type limit struct {
	id   unique.Handle[identity]
	unit uint8 // what it counts, by its index, see Partition.unit

	quotaFrom, windFrom source
	grants              uint8 // parts of the first credit that were granted
	shown               bool  // successes have told of it, not only refusals
	matched             bool  // requests use the quota of the partition key that the caller says
	guessed             bool  // the window was begun by the clock alone; no answer has told of it yet
	rush                rush
	unsettled           int8    // units by which r fell too far, or not far enough, as far as requests in flight explain it: see observe
	entry               uint8   // where in the next window's first interval this client enters, in entryParts
	owed                float32 // what the last request cost: so many gaps until the next slot

	born     uint64    // requests sent when it became known
	units    int64     // sent of it, as far as requests are thought to use it
	estimate *estimate // of what they use; nil: the unit is requests
	base     Instant   // the pace line: the slot of the last request
	opened   Instant   // until when requests waited for units: waiting is not idling
	last     Instant   // when the last request was sent

	quota  int64         // q; while not told, the largest remaining seen in this window or the last
	window time.Duration // w; while not told, the longest reset seen, or what was measured

	remaining int64   // r as last told; Unknown if never
	mark      int64   // units sent up to the request whose answer told it
	sent, at  Instant // its sending and the receipt of that answer
	seq       uint64  // the last request whose answer told of the limit, r or not

	end   span    // of the window; the zero span if not known
	held  Instant // until when a refusal that was about this limit holds what uses it
	aside *aside  // what few limits need; nil: nothing yet
	began int64   // units sent before the window began, as far as known

	recent recent
	refill refill
	share  share
}

// An aside is what few limits need, kept apart so that a limit stays at 240 bytes, a size
// class: of one whose quota or window is not told, or whose clients have agreed on their
// parts.
type aside struct {
	part   *part         // nil: the share is what counts, see portion
	best   int64         // the largest r told in this window
	prior  Instant       // end of the window before, from which the length is measured; 0 if not known
	millis uint8         // what speaks for resets in milliseconds, see means
	doubts uint8         // what spoke against it
	reset  time.Duration // as told last, in whatever unit
}

// kept returns the aside, made if need be.
func (l *limit) kept() *aside {
	if l.aside == nil {
		l.aside = &aside{}
	}
	return l.aside
}

// those is the set of the limits of which this is true.
func (p *Partition) those(is func(l *limit) bool) LimitSet {
	var all LimitSet
	for s := p.live; s != 0; s = s.rest() {
		if i := s.first(); is(&p.limits[i]) {
			all |= placeOf(i)
		}
	}
	return all
}

// An identity is what a server calls a limit. Many partitions have the same ones.
type identity struct{ policy, key string }

// memory is how long a limit is remembered that was not told of since, unless it
// is used up for longer.
const memory = 24 * time.Hour

// entryParts is how fine the place is where a client enters a window: a byte, to keep
// limits small.
const entryParts = 1 << 8

// A source says how a number came to be known.
type source uint8

const (
	seen     source = iota // the largest value that passed by
	measured               // worked out from what the server did
	told                   // the server's word
)

// is reports whether in, which counts that unit, tells of this limit. One without
// a name is known by its quota, as other routes may have others.
func (l *limit) is(in *Limit, unit uint8) bool {
	id := l.id.Value()
	return id.policy == in.Policy && id.key == in.PartitionKey && l.unit == unit &&
		(id.policy != "" || in.Quota == l.quota || in.Quota < 0 || l.quotaFrom != told)
}

func (l *limit) policyName() string { return l.id.Value().policy }

func identify(id identity) unique.Handle[identity] {
	// Cloned, not to keep the server's whole field.
	return unique.Make(identity{strings.Clone(id.policy), strings.Clone(id.key)})
}

// left is how many units remain for requests that are yet to be sent.
func (l *limit) left() int64 {
	return max(0, l.remaining-(l.units-l.mark))
}

// level is left with the units that have come back since the last reading.
func (l *limit) level(now Instant) float64 {
	back := l.nominal() / l.refill.slowdown() * float64(now.Sub(l.at))
	return min(float64(l.quota), float64(l.left())+max(back, 0))
}

// nominal is q/w in units per nanosecond; 0 if it is not known.
func (l *limit) nominal() float64 {
	if l.quota <= 0 || l.window <= 0 {
		return 0
	}
	return float64(l.quota) / float64(l.window)
}

// interval is the gap at this client's share of the nominal rate.
func (l *limit) interval() time.Duration { return interval(l.nominal() * l.mine()) }

// gap is the interval that this limit asks for now; 0 if it asks for none. What
// comes back while the next request waits for its slot must not move that slot, or
// every long gap is followed by a short one.
func (l *limit) gap(now Instant) time.Duration {
	most := max(l.window, 1) // one request per window is everybody's
	if l.part() != nil && l.refills() {
		most = max(most, partSlow*interval(l.nominal()*l.creditShare())) // but so many may share it that this is too much
	}
	return min(interval(l.rate(now)), most)
}

// each is what a request usually uses, 1 or more.
func (l *limit) each() float64 {
	if l.estimate == nil {
		return 1
	}
	return max(1, min(l.estimate.usual, float64(l.quota)))
}

// perRequest is a gap between units as one between usual requests.
func (l *limit) perRequest(gap time.Duration) time.Duration {
	if l.estimate == nil {
		return gap
	}
	return scale(gap, l.each())
}

// slot is the next one on the pace line at that gap, which is multiplied by wobble.
func (l *limit) slot(gap time.Duration, wobble float64, cfg *Config) slot {
	switch {
	case gap == 0:
		return slot{at: l.base}
	case cfg.Measured:
		return slot{at: l.measuredSlot(gap), gap: gap}
	}
	return slot{gap: gap, at: l.base.Add(scale(l.step(gap), wobble)), credit: scale(gap, l.credit(cfg))}
}

// step is how far the slot of the next request lies from that of the last, by what
// this one cost: one above the quota as much as the whole quota.
func (l *limit) step(gap time.Duration) time.Duration {
	switch owed := min(float64(l.owed), float64(max(l.quota, 1))); {
	case owed == 1:
		return gap
	case owed < 1:
		return scale(gap, owed) // less than nothing: more had been charged than was used
	default:
		// As in Plan: a long gap is asked for now, not for every unit.
		return scale(1, float64(gap)+float64(min(gap, l.interval()))*(owed-1))
	}
}

// take charges a request that is sent in that slot, in c as well.
func (l *limit) take(now Instant, cost int64, next slot, measured bool, c *charge) {
	l.units += cost
	c.cost, c.units, c.step, c.owed, c.nth = cost, l.units, next.at.Sub(l.base), l.owed, l.estimate.next()
	if measured {
		l.average(now, cost)
	} else {
		l.base = max(next.at, now.Add(-next.credit), min(l.opened, now))
		l.owed = float32(cost)
	}
	l.opened = 0
	l.last = now
	l.recent.add(now, l.window, cost)
}

// unanswered reports whether a request is under way that may tell how much there is.
func (l *limit) unanswered() bool {
	if l.estimate != nil {
		return l.estimate.sent != l.estimate.told
	}
	return l.units > l.mark
}

// untake takes a charge back. If a hold has moved the pace line since, it stays.
func (l *limit) untake(c *charge, moved, last bool) {
	l.units -= c.cost
	if l.mark >= c.units {
		l.mark -= c.cost
	}
	if !moved {
		l.base = l.base.Add(-c.step)
	}
	if last {
		l.owed = c.owed
	}
}

func (l *limit) rate(now Instant) float64 {
	nominal := l.nominal()
	switch {
	case nominal == 0:
		return 0
	case l.remaining == Unknown && l.part() != nil:
		return nominal * l.part().share
	case l.remaining == Unknown:
		return nominal * l.share.value()
	case l.refills() && l.part() != nil:
		return l.part().share * l.refill.rate(nominal, l.level(min(now, l.base)), float64(l.quota), l.each())
	case l.part() != nil:
		return l.partRate(now)
	case l.refills():
		return l.refill.rate(nominal, l.level(min(now, l.base)), float64(l.quota), l.each())
	}
	rate, s := l.windowRate(now, float64(l.left())), l.mine()
	if until := l.end.hi.Sub(now); until > 0 {
		// What is left may be too little for this client, but the window ends.
		return max(rate*s, min(nominal*s, 1/float64(until)))
	}
	return rate * s
}

// credit is how many units an idle client may send unspaced.
func (l *limit) credit(cfg *Config) float64 {
	c := cfg.burst(float64(l.quota))
	if c > 1 {
		c = max(1, c*l.creditShare())
	}
	if l.remaining != Unknown {
		c = min(c, float64(l.mineOf(l.left())-1))
	}
	return max(c, 0)
}

// refused takes in a round of refusals whose first names the limit. One that tells
// to wait for a good part of the window, where units would come back all the time, is
// one of a window. (That others use up its quota as soon as it begins makes it look like
// a sliding one, which still counts what was used before.)
func (l *limit) refused(retryAfter time.Duration) {
	if (l.windFrom != seen || l.rush.early > 0) && retryAfter > max(l.window/dryPart, dryLeast) {
		l.refill = refill{dry: true, unsure: l.refill.unsure}
	}
	if l.estimate == nil {
		l.share.refused()
	}
	if l.refills() {
		l.refill.refused()
	}
}

// over reports whether nothing that was told of the limit still holds. A window
// of years is not remembered for years.
func (l *limit) over(now Instant) bool {
	return (l.guessed || now > l.end.hi) && now > l.at.Add(min(l.window, memory)) && now >= l.held
}

// forgettable reports whether little is lost without the limit. To learn anew of
// one that is used up would cost a refusal.
func (l *limit) forgettable(now Instant) bool {
	return l.over(now) || l.remaining > 0 && now > l.at.Add(memory)
}
