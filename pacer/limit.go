package pacer

import (
	"math"
	"strings"
	"time"
	"unique"

	"github.com/headway-go/headway/limits"
)

// A limit is one policy of the server for one partition key, as it is believed to be, and the pace
// that it asks for. An answer goes one way through it: account, candidates, belief, share.
// The pace is worked out of these and changes nothing.
type limit struct {
	id   unique.Handle[identity]
	born uint64 // requests sent when it became known
	seq  uint64 // the last request whose answer told of it

	account
	share    share
	arrival  arrival
	estimate *estimate // of what requests use; nil: the unit is requests
	part     *part     // what is allotted to this client; nil: nothing is
	missed   int32     // requests that turned out to have used it when they were answered
	granted  bool      // a fresh client's credit, or there is none
	belief   belief    // what is small stands together: the size counts, see TestPartitionIsSmall
	reset    resetUnit
	looks    looks
}

// An identity is what a server calls a limit. Many partitions have the same ones.
type identity struct{ policy, key string }

// memory is how long a limit is remembered that was not told of since: longer keeps more
// partitions in memory, shorter forgets quotas of a day.
const memory = 24 * time.Hour

// newLimit returns a limit that became known after so many requests.
func newLimit(born uint64, id identity, unit uint8) limit {
	// Cloned, not to keep the server's whole field.
	id = identity{strings.Clone(id.policy), strings.Clone(id.key)}
	l := limit{id: unique.Make(id), born: born}
	l.unit, l.remaining = unit, Unknown
	if unit > 0 {
		l.estimate = &estimate{}
	}
	return l
}

// is reports whether in, which counts that unit, tells of this limit. One without
// a name is known by its quota, as other routes may have others.
func (l *limit) is(in *limits.Told, unit uint8) bool {
	id := l.id.Value()
	return l.unit == unit && id.policy == in.Policy && id.key == in.PartitionKey &&
		(id.policy != "" || in.Quota == l.quota || in.Quota < 0 || !l.quotaTold)
}

func (l *limit) policyName() string { return l.id.Value().policy }

// observe takes in what an answer tells of the limit now. r has what is known of the request.
func (l *limit) observe(now Instant, in *limits.Told, r *reading) {
	if l.reset.observe(&l.account, in, now) { // another unit: all ends so far were none
		l.window, l.remaining = l.reset.again(l.window), Unknown
		l.ends, l.belief, l.share = ends{}, belief{}, share{}
		k := made(&l.kept)
		k.haste, k.before, k.against = haste{}, 0, [candidates]float32{}
	}
	reset := l.reset.inTime(&l.account, in)
	l.policy(in, reset, r.refused)
	if in.Remaining < 0 {
		if l.remaining == Unknown {
			l.at = now
		}
		return
	}
	r.moment, r.passed, r.left, r.end = l.moment(now), float64(max(now.Sub(l.at), 0)), in.Remaining, resetSpan(now, r.sent, reset, l.late(in, reset))
	r.own, r.refill = r.units-l.mark, l.refill()
	r.others = (1 - l.ownUse(r.share)) * r.refill
	r.recent = greater(l.past().history.within(now, l.window)-float64(r.ahead), 0)
	r.above, r.below = r.behind+int64(l.ahead), r.ahead+int64(l.behind)
	if r.refused {
		r.above += r.cost
	}
	if l.estimate != nil {
		r.above += max(r.own, 0) // what requests use is an estimate
	}
	if l.remaining == Unknown {
		l.first(r)
	} else {
		l.compare(r)
	}
	l.remaining, l.mark, l.ahead, l.behind = r.left, r.units, float32(r.ahead), float32(r.behind)
	if l.sent, l.at = r.sent, now; l.kept != nil {
		l.kept.counted = float32(r.recent)
	}
}

// first takes in the first reading. If the window has just begun, whoever has used it is
// using it now.
func (l *limit) first(r *reading) {
	if l.source == fromCounts {
		r.end = span{r.sent, r.now}.shift(l.window)
	}
	l.ends.learn(&l.account, r)
	l.ends.began = max(r.units-max(r.cost, l.quota-r.left), 0)
	if l.source == fromServer && r.end.known() && r.end.hi.Sub(r.now) > l.window-2*time.Second {
		l.observeShare(r, float64(r.units), float64(l.quota-r.left))
	}
}

// compare holds a reading against what the candidates forecast.
func (l *limit) compare(r *reading) {
	a := &l.account
	if r.fresh = l.ends.begins(a, r); l.source == fromCounts {
		r.fresh = l.gauge(r) || r.fresh && r.end.known()
	}
	var f [candidates]forecast
	var excluded [candidates]bool
	f[asWindow], excluded[asWindow] = fixedWindow{a}.forecast(r)
	f[asCounter], excluded[asCounter] = slidingCounter{a}.forecast(r)
	f[asBucket], excluded[asBucket] = tokenBucket{a}.forecast(r)
	f[asLog], excluded[asLog] = slidingLog{a}.forecast(r)
	if l.part != nil { // when others use their parts is theirs to choose
		for i := range f {
			f[i].low, f[i].high = 0, f[i].most
		}
	}
	changed, contradicted := l.belief.weigh(a, r, &f, &excluded)
	if l.source == fromCounts {
		l.gaugeRefill(r)
	}
	if r.fresh {
		made(&l.kept).before = slidingCounter{a}.usedBefore(r)
	}
	l.ends.learn(a, r)
	if r.fresh && l.source == fromReset && l.belief.believed == asWindow && r.end.known() { // the longest reset may have been a mistake
		l.window = max(r.end.lo.Sub(r.sent)+rounding, l.window/8*7)
	}
	if l.belief.believed == asWindow && l.part == nil && l.estimate == nil {
		l.hurry(r)
	}
	if changed {
		l.share = share{} // gathered under a wrong belief
	}
	if changed || contradicted {
		return
	}
	own := float64(r.own)
	used := own + f[l.belief.believed].alone - float64(r.left)
	if r.refused && r.left == 0 && !r.fresh { // it was refused of this limit, and so has used nothing of it
		own -= float64(r.cost)
	}
	l.observeShare(r, own, used)
}

// hurry learns how long the quota of a window lasts.
func (l *limit) hurry(r *reading) {
	haste := &made(&l.kept).haste
	if r.fresh {
		haste.next()
	}
	if l.window <= 0 || !l.ends.told.known() || suffices(float64(r.left), 1, l.share.of()) {
		return
	}
	passed := 1 - l.windows(l.ends.told.mid().Sub(r.now))
	own := l.units - l.ends.began
	haste.usedUp(passed*float64(l.quota)/float64(max(1, l.quota-r.left)), own > l.quota/2, r.refused && own <= 1)
}

// observeShare learns this client's share. Where costs are estimates, what others use shows in
// these.
func (l *limit) observeShare(r *reading, own, used float64) {
	if l.estimate != nil {
		return
	}
	coarse := 0.0
	switch l.belief.believed {
	case asBucket, asCounter:
		coarse = 1
	case asLog:
		coarse = 1 + slidingLog{&l.account}.coarse()
	}
	l.share.observe(own, used, float64(r.ahead)+coarse, float64(r.behind)+coarse, l.quota)
}

// refills reports whether units are believed to come back bit by bit.
func (l *limit) refills() bool {
	return l.belief.believed != asWindow || l.part != nil && l.part.Refills
}

// candidate is the one that is believed, by this client or by others of its fleet.
func (l *limit) candidate(now Instant) candidate {
	a := &l.account
	switch {
	case l.belief.believed == asCounter:
		return slidingCounter{a}
	case l.belief.believed == asLog:
		return slidingLog{a}
	case l.refills():
		return tokenBucket{a}
	case l.allotted(now) != nil:
		return ownUnits{l}
	default:
		return fixedWindow{a}
	}
}

// moment is how this client sees the limit at a time.
func (l *limit) moment(now Instant) moment {
	m := moment{now: now, share: l.portion(now)}
	if told := &l.ends.told; now > told.hi && l.window > 0 && told.known() {
		m.index = 1
		if since := now.Sub(told.hi) - 1; since >= l.window { // dividing takes long
			m.index += int64(since / l.window)
		}
		m.later = scale(l.window, float64(m.index))
	}
	return m
}

// portion is the share that this client takes for its own.
func (l *limit) portion(now Instant) float64 {
	switch p := l.part; {
	case p != nil && !p.awaited && now >= p.until:
		return max(p.Share, p.even)
	case p != nil && !p.awaited:
		return p.Share
	case !l.refills():
		return greater(l.share.of(), windowLeast)
	default:
		return l.share.of()
	}
}

// ownUse is the part of the use that is this client's own, if it takes that share.
func (l *limit) ownUse(share float64) float64 {
	if l.part != nil {
		return share
	}
	if l.share.all <= 0 {
		return 1
	}
	return float64(l.share.own / l.share.all)
}

// The reserve of a limit that refills: a client waits until so many units would be there if nobody else came.
// More is refused less often, less is faster where r is late or rounded.
const (
	reserveAlone = 0.5  // of a client that is alone
	reserveMost  = 0.8  // more where others use it: at most so many times the root of the quota, as chance goes
	reservePart  = 0.08 // and at most this part of the quota
	reserveRise  = 14   // a share of 1 − 1/14 or less keeps all of it: less starves the rest, more slows a lone client
)

// rate is the pace that this client may go at, in units per nanosecond; 0 if none is known.
func (l *limit) rate(m moment) float64 {
	switch {
	case l.quota <= 0 || l.window <= 0:
		return 0
	case l.remaining == Unknown:
		return l.refill() * m.share
	case !l.refills():
		return l.candidate(m.now).pace(m, l.usualCost())
	}
	c, refill, s := l.candidate(m.now), l.refill(), m.share
	then := l.moment(max(min(m.now, l.arrival.line), l.at)) // waiting is not to shorten the wait
	then.share = s
	stock := c.stock(then)
	if l.allotted(m.now) != nil { // all of the quota is shared out
		return s * refill * (1 - stockKept + stock/float64(max(l.quota, 1)))
	}
	if l.belief.believed >= asCounter {
		then = m
	}
	pace, missing := c.pace(then, 1), l.reserve(s)-stock
	if pace <= 0 || missing <= 0 {
		return max(pace, 0)
	}
	if l.source != fromServer { // it may well be slower, and nobody else be there
		refill *= math.Sqrt(s)
	}
	return 1 / (1/pace + missing/refill)
}

// reserve is how many units a client of that share wants to be there, so that others find some, too. It is the
// same for all that share a quota.
func (l *limit) reserve(s float64) float64 {
	quota := float64(l.quota)
	return reserveAlone + min(reserveMost*math.Sqrt(quota), reservePart*quota)*min(1, reserveRise*(1-s))
}

// mostInterval is the longest interval, whatever the window and the share: a month and a day, as the longest
// reset that package validate believes. Longer waits for years on a lie, shorter asks too often for quotas of a month.
const mostInterval = 32 * 24 * time.Hour

// interval is the emission interval: between two units, however many a request needs. Every client may send one
// request per window.
func (l *limit) interval(m moment) time.Duration {
	return min(interval(l.rate(m)), l.longest(m.now))
}

// longest is how long a request waits at most for the one before it: a window, or where less than that
// is allotted to a client, the time until it is its turn again.
func (l *limit) longest(now Instant) time.Duration {
	longest := l.window
	switch {
	case longest <= 0:
		return mostInterval
	case l.source == fromCounts:
		longest = min(longest, l.watched())
	}
	if p := l.allotted(now); p != nil {
		longest = max(longest, interval(l.refill()*max(p.Share, p.even)))
	}
	return min(longest, mostInterval)
}

// usualCost is what a request usually uses, 1 or more.
func (l *limit) usualCost() float64 {
	if l.estimate == nil {
		return 1
	}
	return max(1, min(l.estimate.usual(), float64(l.quota)))
}

// opens is the time before which this limit lets no request of that cost go.
func (l *limit) opens(m moment, cost int64) Instant {
	switch {
	case l.remaining == Unknown, cost <= 0, l.quota <= 0 && l.left() > 0:
		return 0
	case !l.onlyAnswersTell(m):
		opens := l.candidate(m.now).opens(m, min(cost, max(l.quota, 1)))
		if l.source == fromCounts { // it may be shorter
			opens = min(opens, l.at.Add(l.watched()))
		}
		return opens
	case l.refills():
		return l.ends.told.hi
	}
	return 0
}

// onlyAnswersTell reports whether only an answer can tell if there is more, so that one request at a time
// asks: nothing was ever left, a window has ended and nobody said how long the next one is, or a bucket is empty and
// nobody said how fast it fills.
func (l *limit) onlyAnswersTell(m moment) bool {
	switch {
	case l.remaining == Unknown:
		return false
	case l.quota <= 0 && l.refills():
		return l.left() == 0
	case l.source == fromServer:
		return false
	case l.refills():
		return l.source == fromReset && l.belief.believed == asBucket && l.remaining == 0 && l.share.all == 0
	default:
		return m.index > 0
	}
}

// unanswered reports whether a request is under way that may tell how much there is.
func (l *limit) unanswered() bool {
	if l.estimate != nil {
		return l.estimate.sent != l.estimate.told
	}
	return l.units > l.mark
}

// credit is how many units an idle client may send unspaced: no more than are left, but one.
func (l *limit) credit(m moment, cfg *Config) float64 {
	c := cfg.burst(float64(l.quota))
	if c > 1 {
		c = greater(1, c*m.share)
	}
	if l.remaining == Unknown {
		return c
	}
	return greater(0, lesser(c, l.candidate(m.now).stock(m)-1))
}

// take charges a request that is sent in that slot, in c as well.
func (l *limit) take(now Instant, cost int64, next asked, burst bool, cfg *Config, c *charge) {
	l.lapse(now)
	m, tolerance := l.moment(now), time.Duration(0)
	if burst && next.at < now { // else it has not been idle
		tolerance = scale(next.interval, l.credit(m, cfg))
	}
	l.account.take(now, m.index, cost)
	c.cost, c.units, c.nth = cost, l.units-int64(l.missed), l.estimate.next()
	l.arrival.take(now, next.opens, next.at, tolerance, cost)
	made(&l.kept).last = now
}

// untake takes a charge back.
func (l *limit) untake(now Instant, c *charge) {
	m := l.moment(now)
	l.account.take(now, m.index, -c.cost)
	if l.mark >= c.units+int64(l.missed) {
		l.mark -= c.cost
	}
	l.arrival.refund(now, c.cost, l.interval(m))
	l.estimate.undo(c.nth)
}

// over reports whether nothing that was told of the limit still holds. A window of years is not
// remembered for years.
func (l *limit) over(now Instant) bool {
	return now > l.ends.told.hi && now > l.at.Add(min(l.window, memory)) && now >= l.past().held
}

// forgettable reports whether little is lost without the limit. To learn anew of
// one that is used up would cost a refusal.
func (l *limit) forgettable(now Instant) bool {
	return l.over(now) || l.remaining > 0 && now > l.at.Add(memory)
}
