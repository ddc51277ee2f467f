package pacer

import (
	"math"
	"strings"
	"time"
	"unique"
)

// A limit is one policy of the server for one partition key, as it is believed to be, and the pace
// that it asks for. An answer goes one way through it: account, candidates, belief, share;
// the pace is worked out of these (plan.go) and changes nothing.
type limit struct {
	id      unique.Handle[identity]
	born    uint64  // requests sent when it became known
	seq     uint64  // the last request whose answer told of it
	last    Instant // when the last request was sent
	held    Instant // until when a refusal that was about this limit holds what uses it
	late    int32   // requests that turned out to have used it when they were answered
	unit    uint8   // what it counts, by its index, see Partition.unit
	grants  uint8   // readings that a fresh client was granted something by
	matched bool    // requests use the quota of the partition key that the caller says
	shown   bool    // successes have told of it, not only refusals

	account
	window   fixedWindow
	counter  slidingCounter
	bucket   tokenBucket
	log      slidingLog
	belief   belief
	share    share
	arrival  arrival
	reset    resetUnit
	estimate *estimate // of what requests use; nil: the unit is requests
	part     *part     // what is allotted to this client; nil: nothing is
}

// An identity is what a server calls a limit. Many partitions have the same ones.
type identity struct{ policy, key string }

// memory is how long a limit is remembered that was not told of since: longer keeps more
// partitions in memory, shorter forgets quotas of a day.
const memory = 24 * time.Hour

// is reports whether in, which counts that unit, tells of this limit. One without
// a name is known by its quota, as other routes may have others.
func (l *limit) is(in *Limit, unit uint8) bool {
	id := l.id.Value()
	return id.policy == in.Policy && id.key == in.PartitionKey && l.unit == unit &&
		(id.policy != "" || in.Quota == l.quota || in.Quota < 0 || !l.quotaTold)
}

func (l *limit) policyName() string { return l.id.Value().policy }

func identify(id identity) unique.Handle[identity] {
	// Cloned, not to keep the server's whole field.
	return unique.Make(identity{strings.Clone(id.policy), strings.Clone(id.key)})
}

// newLimit returns a limit that became known after so many requests.
func newLimit(born uint64, id identity, unit uint8) limit {
	l := limit{id: identify(id), unit: unit, born: born}
	l.remaining = Unknown
	if unit > 0 {
		l.estimate = &estimate{}
	}
	return l
}

// observe takes in what an answer tells of the limit to a request that was charged so much,
// units and later of those sent before and after it.
func (l *limit) observe(now Instant, t *Ticket, in *Limit, c charged, refused bool, wait time.Duration, u float64) {
	reach := l.window.told.hi.Sub(l.at)
	reset, isNew := l.reset.means(&l.account, in, now)
	if in.Reset = reset; isNew {
		l.restart()
	}
	l.policy(in, refused, reach)
	l.seq = t.seq
	if in.Remaining < 0 {
		if l.remaining == Unknown {
			l.at = now
		}
		return
	}
	r := reading{
		now: now, sent: t.sent, left: in.Remaining, end: resetSpan(now, t.sent, in.Reset),
		own: c.units - l.mark, cost: c.cost, unsent: c.later, later: c.later + int64(l.missing), refused: refused, wait: wait,
		others: (1 - l.measured(now)) * l.refill(),
	}
	r.recent = max(l.recent().within(now, l.account.window)-float64(r.unsent), 0)
	r.doubt = c.beside + int64(l.early)
	if refused {
		r.doubt += c.cost
	}
	if l.estimate != nil {
		r.doubt += max(r.own, 0) // what requests use is an estimate
	}
	if l.remaining == Unknown {
		l.first(&r, c, u)
	} else {
		l.compare(&r, c, u)
	}
	l.remaining, l.mark, l.early, l.missing = r.left, c.units, float32(c.later), float32(c.beside)
	l.sent, l.at = t.sent, now
	l.counted = float32(r.recent)
}

// restart forgets what was concluded from ends that were none.
func (l *limit) restart() {
	l.account.window, l.remaining = 0, Unknown
	l.window, l.counter, l.belief, l.share = fixedWindow{}, slidingCounter{}, belief{}, share{}
}

// first takes in the first reading. If the window has just begun, whoever has used it is
// using it now.
func (l *limit) first(r *reading, c charged, u float64) {
	l.window.learn(&l.account, r, u)
	l.window.began = max(c.units-max(c.cost, l.quota-r.left), 0)
	if l.windTold && r.end.known() && r.end.hi.Sub(r.now) > l.account.window-2*time.Second {
		l.observeShare(c, float64(c.units), float64(l.quota-r.left))
	}
}

// compare holds a reading against what the candidates forecast.
func (l *limit) compare(r *reading, c charged, u float64) {
	a := &l.account
	f := [candidates]forecast{asWindow: l.window.forecast(a, r), asCounter: l.counter.forecast(a, &l.window, r), asBucket: l.bucket.forecast(a, r), asLog: l.log.forecast(a, r)}
	f[asWindow].excluded = l.window.impossible(a, r)
	if l.part != nil { // when others use their parts is theirs to choose
		for i := range f {
			f[i].low, f[i].high = 0, f[i].most
		}
	}
	changed, contradicted := l.belief.weigh(a, r, &f)
	var used float64
	switch l.belief.believed {
	case asCounter:
		used = l.counter.used(a, &l.window, r)
	case asBucket:
		used = l.bucket.used(a, r)
	case asLog:
		used = l.log.used(a, r)
	}
	current := l.counter.current(a, &l.window)
	fresh := l.window.learn(a, r, u)
	if fresh {
		l.counter.learn(a, &l.window, r, current)
	}
	own := float64(r.own)
	if l.belief.believed == asWindow {
		if used = l.window.used(a, r, fresh); fresh {
			own = max(own, float64(r.cost))
		}
	}
	if fresh {
		l.window.began = l.mark
	}
	if refusedOwn := r.refused && !fresh; refusedOwn {
		own -= float64(r.cost)
	}
	if l.belief.believed == asWindow && l.part == nil && l.estimate == nil {
		l.hurry(r, fresh)
	}
	if changed {
		l.share = share{} // gathered under a wrong belief
	} else if !contradicted {
		l.observeShare(c, own, used)
	}
}

// hurry learns how long the quota of a window lasts.
func (l *limit) hurry(r *reading, fresh bool) {
	a, h := &l.account, &l.window.haste
	if fresh {
		h.next()
	}
	if a.window <= 0 || !l.window.told.known() || suffices(float64(r.left), 1, l.share.of()) {
		return
	}
	passed := 1 - float64(l.window.told.mid().Sub(r.now))/float64(a.window)
	own := l.units - l.window.began
	h.usedUp(passed*float64(l.quota)/float64(max(1, l.quota-r.left)), own > l.quota/2, r.refused && own <= 1)
}

// observeShare learns this client's share. Where costs are estimates, what others use shows in
// these.
func (l *limit) observeShare(c charged, own, used float64) {
	if l.estimate == nil {
		coarse := 0.0
		switch l.belief.believed {
		case asBucket, asCounter:
			coarse = 1
		case asLog:
			coarse = 1 + l.log.coarse(&l.account)
		}
		l.share.observe(own, used, float64(c.later)+coarse, float64(c.beside)+coarse, l.quota)
	}
}

// refills reports whether units are believed to come back bit by bit.
func (l *limit) refills() bool {
	return l.belief.believed != asWindow || l.part != nil && l.part.Refills
}

// candidate is the one that is believed, by this client or by others of its fleet.
func (l *limit) candidate() uint8 {
	if l.belief.believed == asWindow && l.refills() {
		return asBucket
	}
	return l.belief.believed
}

// portion is the share that this client takes for its own.
func (l *limit) portion(now Instant) float64 {
	switch p := l.part; {
	case p != nil && !p.awaited && now >= p.until:
		return max(p.Share, p.even)
	case p != nil && !p.awaited:
		return p.Share
	case l.candidate() == asWindow:
		return max(l.share.of(), windowLeast)
	default:
		return l.share.of()
	}
}

// measured is the part of the use that is this client's own.
func (l *limit) measured(now Instant) float64 {
	if l.part != nil {
		return l.portion(now)
	}
	if l.share.all <= 0 {
		return 1
	}
	return float64(l.share.own / l.share.all)
}

// rate is the pace that this client may go at, in units per nanosecond; 0 if none is
// known.
func (l *limit) rate(now Instant) float64 {
	refill, s := l.refill(), l.portion(now)
	switch {
	case refill == 0:
		return 0
	case l.remaining == Unknown:
		return refill * s
	case l.candidate() == asWindow:
		a, share := l.own(now)
		if rate := share * l.window.pace(&a, now, share, l.each()); rate > 0 {
			return rate
		}
		return refill * s // nothing of this window is allotted
	}
	return s * l.sparing(now, s)
}

// The reserve of a limit that refills: a client waits until so many units would be there if nobody else came.
// More is refused less often, less is faster where r is late or rounded.
const (
	reserveAlone = 0.5  // of a client that is alone
	reserveMost  = 0.8  // more where others use it: at most so many times the root of the quota, as chance goes
	reservePart  = 0.08 // and at most this part of the quota
	stockKept    = 0.25 // of the quota that is allotted to clients: more leaves much to one that is not told its part, less is refused more often
	reserveRise  = 14   // one that has less than 93 % of the use keeps all of it: less lets who has nearly all starve the rest, more slows a lone client by chance
)

// sparing is the pace of a limit that refills, slowed down where little is left: so that others who want
// the same units find some, a client waits until a few would be there if nobody else came.
func (l *limit) sparing(now Instant, s float64) float64 {
	a, pace := &l.account, 0.0
	then := max(min(now, l.arrival.line), l.at)
	if l.allotted(now) != nil { // all of the quota is shared out
		return l.refill() * (1 - stockKept + l.stock(then, s)/float64(max(l.quota, 1)))
	}
	switch l.candidate() {
	case asBucket:
		pace = l.bucket.pace(a, then, s)
	case asCounter:
		pace = l.counter.pace(a, &l.window, now)
	case asLog:
		pace = l.log.pace(a, now, s)
	}
	if pace <= 0 {
		return pace
	}
	refill := l.refill()
	if !l.windTold { // it may well be slower, and nobody else be there
		refill *= math.Sqrt(s)
	}
	return 1 / (1/(s*pace) + max(l.reserve(s)-l.stock(then, s), 0)/refill) / s
}

// reserve is how many units a client of that share wants to be there, so that others find some, too. It is the
// same for all that share a quota.
func (l *limit) reserve(s float64) float64 {
	quota := float64(l.quota)
	return reserveAlone + min(reserveMost*math.Sqrt(quota), reservePart*quota)*min(1, reserveRise*(1-s))
}

// stock is how many units of a limit that refills are there.
func (l *limit) stock(now Instant, s float64) float64 {
	switch a := &l.account; l.candidate() {
	case asCounter:
		return l.counter.left(a, &l.window, now)
	case asLog:
		return l.log.left(a, now, s)
	default:
		return l.bucket.level(a, now, s)
	}
}

// interval is the emission interval: between two units, however many a request needs. One
// request per window is everybody's.
func (l *limit) interval(now Instant) time.Duration {
	return min(interval(l.rate(now)), l.longest(now))
}

// mostInterval is the longest interval, whatever the window and the share: a month and a day, as the longest
// reset that package validate believes. Longer waits for years on a lie, shorter asks too often for quotas of a month.
const mostInterval = 32 * 24 * time.Hour

// longest is how long a request waits at most for the one before it: a window, or where less than that
// is allotted to a client, the time until it is its turn again.
func (l *limit) longest(now Instant) time.Duration {
	if l.account.window <= 0 {
		return mostInterval
	}
	if p := l.allotted(now); p != nil {
		return min(max(l.account.window, interval(l.refill()*max(p.Share, p.even))), mostInterval)
	}
	return min(l.account.window, mostInterval)
}

// opens is the time before which this limit lets no request of that cost go.
func (l *limit) opens(now Instant, cost int64, slack time.Duration) Instant {
	if l.remaining == Unknown || cost <= 0 {
		return 0
	}
	need := min(cost, max(l.quota, 1))
	switch a := &l.account; {
	case l.asks(now) && l.refills():
		return l.window.told.hi
	case l.asks(now):
		return 0
	case l.allotted(now) != nil && !l.refills():
		return l.partOpens(now, need, slack)
	case l.candidate() == asBucket:
		return l.bucket.opens(a, now, l.portion(now), need)
	case l.candidate() == asCounter:
		return l.counter.opens(a, &l.window, now, need)
	case l.candidate() == asLog:
		return l.log.opens(a, now, l.portion(now), need)
	default:
		return l.window.opens(a, now, l.portion(now), need, slack)
	}
}

// asks reports whether only an answer can tell if there is more, so that one request at a time
// asks: a window has ended and nobody said how long the next one is, or a bucket is empty and nobody
// said how fast it fills.
func (l *limit) asks(now Instant) bool {
	if l.windTold || l.remaining == Unknown {
		return false
	}
	if l.candidate() != asWindow {
		return l.candidate() == asBucket && l.remaining == 0 && l.share.all == 0
	}
	_, index := l.window.open(&l.account, now)
	return index > 0
}

// unanswered reports whether a request is under way that may tell how much there is.
func (l *limit) unanswered() bool {
	if l.estimate != nil {
		return l.estimate.sent != l.estimate.told
	}
	return l.units > l.mark
}

// each is what a request usually uses, 1 or more.
func (l *limit) each() float64 {
	if l.estimate == nil {
		return 1
	}
	return max(1, min(l.estimate.usual(), float64(l.quota)))
}

// slot is the theoretical arrival time of the next request.
func (l *limit) slot(now Instant, gap time.Duration, wobble float64, cfg *Config) slot {
	if gap == 0 {
		return slot{at: l.arrival.line}
	}
	return l.arrival.next(gap, scale(gap, l.credit(now, cfg)), l.longest(now), wobble)
}

// credit is how many units an idle client may send unspaced: no more than are left, but one.
func (l *limit) credit(now Instant, cfg *Config) float64 {
	c := cfg.burst(float64(l.quota))
	if c > 1 {
		c = max(1, c*l.portion(now))
	}
	if l.remaining == Unknown {
		return c
	}
	return max(0, min(c, l.mine(now)-1))
}

// mine is how many of the units that are left are this client's own to send.
func (l *limit) mine(now Instant) float64 {
	a := &l.account
	switch l.candidate() {
	case asBucket:
		return l.bucket.level(a, now, l.portion(now))
	case asCounter:
		return l.counter.left(a, &l.window, now)
	case asLog:
		return l.log.left(a, now, l.portion(now))
	}
	own, _ := l.own(now)
	_, index := l.window.open(a, now)
	return float64(l.window.left(&own, index))
}

// left is how many units remain, as this client knows.
func (l *limit) leftNow(now Instant) int64 {
	if l.refills() {
		return l.left()
	}
	_, index := l.window.open(&l.account, now)
	return l.window.left(&l.account, index)
}

// take charges a request that is sent in that slot, in c as well.
func (l *limit) take(now Instant, cost int64, next slot, closed Instant, c *charge) {
	l.lapse(now)
	l.window.take(&l.account, now)
	l.account.take(now, cost)
	c.cost, c.units, c.before, c.nth = cost, l.units-int64(l.late), l.arrival, l.estimate.next()
	l.arrival.take(now, closed, next, cost)
	c.after = l.arrival
	l.last = now
}

// untake takes a charge back. If nothing has moved the slots since, they are as before.
func (l *limit) untake(now Instant, c *charge) {
	l.account.take(now, -c.cost)
	if l.mark >= c.units+int64(l.late) {
		l.mark -= c.cost
	}
	if l.arrival == c.after {
		l.arrival = c.before
	}
	l.estimate.undo(c.nth)
}

// over reports whether nothing that was told of the limit still holds. A window of years is not
// remembered for years.
func (l *limit) over(now Instant) bool {
	return now > l.window.told.hi && now > l.at.Add(min(l.account.window, memory)) && now >= l.held
}

// forgettable reports whether little is lost without the limit. To learn anew of
// one that is used up would cost a refusal.
func (l *limit) forgettable(now Instant) bool {
	return l.over(now) || l.remaining > 0 && now > l.at.Add(memory)
}
