package audit

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/headway-go/headway/limits"
)

// A series is what the responses told of one limit, and what comes of each two of them in a row.
type series struct {
	points []point

	n, equal, none int           // falls of the remaining quota: all; those by the cost of the request; those by nothing
	cost           int64         // of the first request that was compared with the one before
	more           int64         // the largest fall above the cost
	isRefilled     bool          // units may come back as fast as they were used
	falls          bool          // it fell at all
	fell, elapsed  time.Duration // by how much the reset came nearer, and in which time
	over           time.Duration // by how much the reset is longer than the window
	isEarly        bool          // nothing was back when it should have been
	lead           time.Duration // for how long units were back before they should have been
	back           int64         // units that were back after the reset
	isBit, isWhole bool          // units came back bit by bit; all were back at the reset
	beyond         *Finding      // a request was served though nothing was left; nil if none was
}

// A point is what one response told of a limit.
type point struct {
	*Exchange
	*limits.Reported

	index int // of the exchange
}

// A pair is two responses in a row that told of a limit.
type pair struct {
	before, after point
	end           time.Time // when more units are available, as told before; zero if it was not told
	cost          int64     // of the second request
	drop          int64     // by how much the remaining quota fell, which may be negative
	hasDrop       bool
	isWithin      bool // the second request was answered before any units should have come back
	isPast        bool // it was sent when units should have come back
}

// look sorts what the exchanges told by limits.
func look(all []*Exchange, cost int64) (found []*series) {
	byName := map[[3]string]*series{}
	for i, x := range all {
		for k := range x.Reading.Limits {
			l := &x.Reading.Limits[k]
			key := [3]string{l.Policy, l.PartitionKey, string(l.Unit)}
			if byName[key] == nil && len(found) < mostLimits {
				byName[key] = &series{isRefilled: true}
				found = append(found, byName[key])
			}
			if s := byName[key]; s != nil {
				s.add(point{x, l, i}, costOf(l, cost))
			}
		}
	}
	return found
}

func (l *series) last() point { return l.points[len(l.points)-1] }

func (l *series) add(after point, cost int64) {
	if n := len(l.points); n > 0 && l.points[n-1].index == after.index-1 {
		before := l.points[n-1]
		p := pair{before: before, after: after, cost: cost, isWithin: true, drop: before.Remaining - after.Remaining}
		p.hasDrop = before.Remaining >= 0 && after.Remaining >= 0 && after.isServed && after.Kind == Plain
		if before.Reset >= 0 {
			p.end = before.Received.Add(before.Reset)
			p.isWithin, p.isPast = after.Received.Before(p.end.Add(-tolerance)), !after.Sent.Before(p.end)
		}
		l.cost = cmp.Or(l.cost, cost)
		l.count(&p)
	}
	l.points = append(l.points, after)
	if after.Window > 0 {
		l.over = max(l.over, after.Reset-after.Window)
	}
}

// isBeyond reports whether the second request was served though nothing was left.
func (p *pair) isBeyond() bool {
	return isShort(p.before.Reported, p.cost) && !p.end.IsZero() && !p.before.Refused && p.after.isServed && p.after.Kind == Plain && p.isWithin
}

// count adds what a pair shows.
func (l *series) count(p *pair) {
	elapsed := p.after.Received.Sub(p.before.Received)
	if p.hasDrop {
		l.falls = l.falls || p.drop > 0
		l.fall(p, elapsed)
		l.comeBack(p)
	}
	isNew := p.hasDrop && p.drop < 0 // another window
	if !p.end.IsZero() && p.after.Reset >= 0 && p.isWithin && !isNew {
		l.fell += p.before.Reset - p.after.Reset
		l.elapsed += elapsed
	}
	if l.beyond == nil && p.isBeyond() {
		l.beyond = say(Misleading, "a request was served, and %d were left before it: clients wait in vain", p.before.Remaining)
	}
	if p.isPast && p.before.Remaining >= 0 && p.before.Remaining < p.cost && p.after.Refused {
		l.isEarly = true
	}
}

// fall adds by how much the remaining quota fell, while no units should have come back.
func (l *series) fall(p *pair, elapsed time.Duration) {
	if !p.isWithin {
		return
	}
	l.n++
	l.equal += one(p.drop == p.cost)
	l.none += one(p.drop == 0)
	if p.drop > p.cost {
		l.more = max(l.more, p.drop)
	}
	w := p.before.Window
	l.isRefilled = l.isRefilled && w > 0 && float64(p.before.Quota)*elapsed.Seconds() >= float64(p.cost)*w.Seconds()
}

// comeBack adds how many units came back between both responses, if it was told when they should.
func (l *series) comeBack(p *pair) {
	back := p.cost - p.drop
	switch {
	case p.end.IsZero():
		return
	case p.isPast:
		l.isEarly, l.back = l.isEarly || back <= 0, max(l.back, back)
	case p.isWithin && back > 0:
		l.lead = max(l.lead, p.end.Sub(p.after.Received))
	}
	quota, left := p.after.Quota, p.after.Remaining
	isWhole := p.isPast && back > 1 && quota >= 0 && left >= quota-p.cost
	l.isWhole = l.isWhole || isWhole
	l.isBit = l.isBit || !isWhole && back > 0 && p.before.Remaining > left-quota/2
}

// policy says whether clients can know quota and window.
func (l *series) policy(*form) *Finding {
	var missing []string
	if l.last().Quota < 0 {
		missing = append(missing, "the quota")
	}
	if l.last().Window < 0 {
		missing = append(missing, "the window")
	}
	if len(missing) > 0 {
		return say(NotTold, "%s", strings.Join(missing, " and ")).with("add RateLimit-Policy, so that clients know which rate is sustainable")
	}
	return say(True, "%d %s per %v", l.last().Quota, l.last().Unit, short(l.last().Window))
}

// remaining says whether the remaining quota falls by the cost of each request.
func (l *series) remaining(*form) *Finding {
	switch {
	case !slices.ContainsFunc(l.points, func(p point) bool { return p.Remaining >= 0 }):
		return say(NotTold, "what is left")
	case l.n == 0:
		return say(NotSeen, "units come back before two requests could be compared")
	case l.n == l.equal:
		return say(True, "it falls by %d with each request, as it costs", l.cost)
	case l.more > 0 && l.equal == 0:
		return say(NotTold, "a request seems to cost %d, and nothing says so, or others use the limit", l.more).with("tell the cost: parameter c of RateLimit, from draft 11 on")
	case l.more > 0:
		return say(NotSeen, "it falls by up to %d with a request: others may use the limit", l.more)
	case l.none < l.n:
		return say(True, "it falls by the cost of each request, less what comes back")
	case l.n >= 3 && !l.isRefilled:
		return say(Misleading, "it does not fall: after %d requests as much is left as before", l.n).with("count each request before its response is written")
	}
	return say(NotSeen, "it does not fall: units may come back as fast as they are used")
}

// A form says how resets are told.
type form struct {
	isTime bool   // as points in time
	wrong  string // a field that has one where the drafts define a delay; "" if none has
}

const (
	inDelays  = "send the seconds until the reset"
	inSeconds = "the drafts define seconds: divide it by 1000"
)

func formOf(all []*Exchange) (f form) {
	for _, x := range all {
		for i := range x.rows {
			row := &x.rows[i]
			isTime := !row.Reset.At.IsZero() || row.Reset.After > 366*24*time.Hour
			isDraft := row.Family == limits.DialectRateLimit || row.Family == limits.DialectDraft07 || row.Family == limits.DialectTrio
			if isTime && isDraft {
				f.wrong = strings.Replace(row.Names.Reset, "Ratelimit", "RateLimit", 1)
			}
			f.isTime = f.isTime || isTime && !isDraft
		}
	}
	return f
}

// reset says whether the time to the reset is one, and of which unit.
func (l *series) reset(f *form) *Finding {
	text := "a delay"
	if f.isTime {
		text = "a point in time"
	}
	near := func(a, b time.Duration) bool { return (a - b).Abs() <= max(tolerance*3/2, b/10) }
	switch {
	case !slices.ContainsFunc(l.points, func(p point) bool { return p.Reset >= 0 }):
		return say(NotTold, "when units come back").with("tell it in seconds: parameter t of RateLimit")
	case f.wrong != "":
		return say(Misleading, "%s has a point in time, and the drafts define a delay in seconds", f.wrong).with(inDelays)
	case l.elapsed > tolerance/2 && l.fell > 100*l.elapsed && near(l.fell/1000, l.elapsed):
		return say(Misleading, "it counts milliseconds, and clients read seconds").with(inSeconds)
	case l.over > 100*l.last().Window && l.over > 0:
		return say(Misleading, "it is up to %v longer than the window: does it count milliseconds?", short(l.over)).with(inSeconds)
	case l.over > 2*tolerance:
		return say(Misleading, "it is up to %v longer than the window", short(l.over))
	case l.elapsed < 2*tolerance:
		return say(NotSeen, "%s; it was not watched for long enough to know its unit", text)
	case near(l.fell, l.elapsed):
		return say(True, "%s, which comes nearer as time passes", text)
	}
	return say(NotSeen, "%s; it does not come nearer as time passes, so its unit does not show", text)
}

// end says whether units are back when the reset says.
func (l *series) end(f *form) *Finding {
	switch {
	case l.reset(f).Verdict == Misleading: // which is said already
		return nil
	case l.isEarly:
		return say(Misleading, "too early: at the reset nothing was back").with("round the time until units are available up")
	case l.lead > 0 && l.falls:
		return say(Misleading, "too late: units were back up to %v before the reset", short(l.lead)).with("tell when the next units are available, not when all are")
	case l.back > 0:
		return say(True, "after the reset %d units were back", l.back)
	}
	return say(NotSeen, "whether units are back at the reset")
}

// kind says which kind of limiter it seems to be.
func (l *series) kind(f *form) *Finding {
	switch {
	case l.remaining(f).Verdict != True || l.reset(f).Verdict == Misleading:
	case l.isBit:
		return say(True, "units come back bit by bit, as in a token bucket or a sliding window")
	case l.elapsed-l.fell > 2*tolerance:
		return say(True, "the reset moves with the requests, as in a token bucket or a sliding window")
	case l.isWhole:
		return say(True, "a fixed window: at its end all units are back")
	}
	return say(NotSeen, "which algorithm it is")
}
