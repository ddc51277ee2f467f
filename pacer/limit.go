package pacer

import (
	"math"
	"strings"
	"time"
	"unique"

	"github.com/headway-go/headway/limits"
)

// A limit is a policy for one client: what the server reported, what the client has learned, and the pace.
// observe takes each response through account, candidates, belief and share, in this order. rate, interval and
// opens compute from their state when the next request may go, and change nothing.
type limit struct {
	id   unique.Handle[identity]
	born uint64 // requests sent before the limit became known
	seq  uint64 // the newest request whose response reported the limit

	account
	share    share
	arrival  arrival
	estimate *estimate // the costs of requests; nil: the unit is requests
	part     *part     // the part that a fleet allots to this client; nil: none
	missed   int32     // requests that were not charged, but whose responses showed that they used the limit
	granted  bool      // the first burst was granted, or there is none
	belief   belief    // small fields stand together to save memory, see TestPartitionIsSmall
	reset    resetUnit
	looks    looks
}

// An identity is the server's name of a limit. Partitions share equal identities to save memory.
type identity struct{ policy, key string }

// forgetAfter is how long a limit is stored after its last report. Longer: more partitions stay in memory.
// Shorter: quotas of a day are forgotten.
const forgetAfter = 24 * time.Hour

// newLimit returns a limit that becomes known after born requests.
func newLimit(born uint64, id identity, unit uint8) limit {
	// Cloned, so that the server's whole header field is not kept in memory.
	id = identity{strings.Clone(id.policy), strings.Clone(id.key)}
	l := limit{id: unique.Make(id), born: born}
	l.unit, l.remaining = unit, Unknown
	if unit > 0 {
		l.estimate = &estimate{}
	}
	return l
}

// is reports whether in, in that unit, is a report of this limit. Limits without a name are distinguished by
// their quotas, because routes may have different ones.
func (l *limit) is(in *limits.Told, unit uint8) bool {
	id := l.id.Value()
	return l.unit == unit && id.policy == in.Policy && id.key == in.PartitionKey &&
		(id.policy != "" || in.Quota == l.quota || in.Quota < 0 || !l.quotaTold)
}

func (l *limit) policyName() string { return l.id.Value().policy }

// observe updates the limit with a report. r describes the request.
func (l *limit) observe(now Instant, in *limits.Told, r *reading) {
	if l.reset.observe(&l.account, in, now) { // resets are in another unit than assumed, so all stored ends are wrong
		l.window, l.remaining = l.reset.again(l.window), Unknown
		l.ends, l.belief, l.share = ends{}, belief{}, share{}
		k := ensure(&l.kept)
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

// first takes the first reading. If the window has just begun, the quota that is missing shows the use of
// other clients.
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

// compare compares a reading with the candidates' forecasts.
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
	if l.part != nil { // members of a fleet may use their parts at any time
		for i := range f {
			f[i].low, f[i].high = 0, f[i].most
		}
	}
	changed, contradicted := l.belief.weigh(a, r, &f, &excluded)
	if l.source == fromCounts {
		l.gaugeRefill(r)
	}
	if r.fresh {
		ensure(&l.kept).before = slidingCounter{a}.usedBefore(r)
	}
	l.ends.learn(a, r)
	if r.fresh && l.source == fromReset && l.belief.believed == asWindow && r.end.known() { // the longest reset may have been a mistake
		l.window = max(r.end.lo.Sub(r.sent)+rounding, l.window/8*7)
	}
	if l.belief.believed == asWindow && l.part == nil && l.estimate == nil {
		l.hurry(r)
	}
	if changed {
		l.share = share{} // learned under a wrong belief
	}
	if changed || contradicted {
		return
	}
	own := float64(r.own)
	used := own + f[l.belief.believed].alone - float64(r.left)
	if r.refused && r.left == 0 && !r.fresh { // the refused request has used nothing
		own -= float64(r.cost)
	}
	l.observeShare(r, own, used)
}

// hurry learns how long the quota of a window lasts.
func (l *limit) hurry(r *reading) {
	haste := &ensure(&l.kept).haste
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

// observeShare learns this client's share. If costs are estimates, the estimates include other clients' use instead.
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

// refills reports whether units come back bit by bit, as far as is known.
func (l *limit) refills() bool {
	return l.belief.believed != asWindow || l.part != nil && l.part.Refills
}

// candidate returns the candidate that this client, or its fleet, believes in.
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

// moment returns the limit's state at a time.
func (l *limit) moment(now Instant) moment {
	m := moment{now: now, share: l.portion(now)}
	if told := &l.ends.told; now > told.hi && l.window > 0 && told.known() {
		m.index = 1
		if since := now.Sub(told.hi) - 1; since >= l.window { // the condition avoids a slow division
			m.index += int64(since / l.window)
		}
		m.later = scale(l.window, float64(m.index))
	}
	return m
}

// portion returns the share that this client uses for its pace.
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

// ownUse returns this client's part of all use: with an allotted part the share, else own / all as measured.
func (l *limit) ownUse(share float64) float64 {
	if l.part != nil {
		return share
	}
	if l.share.all <= 0 {
		return 1
	}
	return float64(l.share.own / l.share.all)
}

// The reserve of a limit that refills, in units. The client waits until so many units would be there if
// nobody else sent. More: fewer refusals. Less: faster if r is late or rounded.
const (
	reserveAlone = 0.5  // for a client alone
	reserveMost  = 0.8  // beside other clients, times √q, because their use varies by chance
	reservePart  = 0.08 // of the quota: the upper bound beside other clients
	reserveRise  = 14   // a share of 1 − 1/14 or less has the whole reserve. Less: other clients starve. More: a client alone is slower
)

// rate returns this client's pace in units per nanosecond; 0 if none is known.
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
	then := l.moment(max(min(m.now, l.arrival.line), l.at)) // the last slot: units that come back during a wait must not shorten it
	then.share = s
	stock := c.stock(then)
	if l.allotted(m.now) != nil { // the whole quota is divided among members
		return s * refill * (1 - fleetReserve + stock/float64(max(l.quota, 1)))
	}
	if l.belief.believed >= asCounter {
		then = m
	}
	pace, missing := c.pace(then, 1), l.reserve(s)-stock
	if pace <= 0 || missing <= 0 {
		return max(pace, 0)
	}
	if l.source != fromServer { // the real rate may be slower, without other clients
		refill *= math.Sqrt(s)
	}
	return 1 / (1/pace + missing/refill)
}

// reserve returns how many units a client of share s leaves for other clients. All clients of a quota leave
// the same ones.
func (l *limit) reserve(s float64) float64 {
	quota := float64(l.quota)
	return reserveAlone + min(reserveMost*math.Sqrt(quota), reservePart*quota)*min(1, reserveRise*(1-s))
}

// mostInterval bounds every interval: a month and a day, which is the longest reset that package validate
// accepts. Longer: a wrong value stops the client for years. Shorter: quotas of a month are asked too often.
const mostInterval = 32 * 24 * time.Hour

// interval returns the emission interval: the time between two units, whatever a request costs. It is at most
// longest, which is mostly one window: every client may send one request per window.
func (l *limit) interval(m moment) time.Duration {
	return min(interval(l.rate(m)), l.longest(m.now))
}

// longest returns the longest wait between two requests: a window. A member of a fleet with a part below one
// unit per window waits longer, until its turn.
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

// usualCost returns the usual cost of a request, at least 1.
func (l *limit) usualCost() float64 {
	if l.estimate == nil {
		return 1
	}
	return max(1, min(l.estimate.usual(), float64(l.quota)))
}

// opens returns when enough units for a request of that cost are there.
func (l *limit) opens(m moment, cost int64) Instant {
	switch {
	case l.remaining == Unknown, cost <= 0, l.quota <= 0 && l.left() > 0:
		return 0
	case !l.onlyAnswersTell(m):
		opens := l.candidate(m.now).opens(m, min(cost, max(l.quota, 1)))
		if l.source == fromCounts { // the window may be shorter than assumed
			opens = min(opens, l.at.Add(l.watched()))
		}
		return opens
	case l.refills():
		return l.ends.told.hi
	}
	return 0
}

// onlyAnswersTell reports whether only a response can show that there are units, so that one request at a
// time may go. There are three cases: no response ever reported units, a window of unknown length has ended,
// or a bucket of unknown refill rate is empty.
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

// unanswered reports whether a request is in flight whose response may report the remaining quota.
func (l *limit) unanswered() bool {
	if l.estimate != nil {
		return l.estimate.sent != l.estimate.told
	}
	return l.units > l.mark
}

// credit returns the burst tolerance in units: how many an idle client may send at once beyond the first one.
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

// take charges a request that is sent in that slot, and stores the charge in c.
func (l *limit) take(now Instant, cost int64, next asked, burst bool, cfg *Config, c *charge) {
	l.lapse(now)
	m, tolerance := l.moment(now), time.Duration(0)
	if burst && next.at < now { // otherwise the client was not idle
		tolerance = scale(next.interval, l.credit(m, cfg))
	}
	l.account.take(now, m.index, cost)
	c.cost, c.units, c.nth = cost, l.units-int64(l.missed), l.estimate.next()
	l.arrival.take(now, next.opens, next.at, tolerance, cost)
	ensure(&l.kept).last = now
}

// uncharge cancels a charge.
func (l *limit) uncharge(now Instant, c *charge) {
	m := l.moment(now)
	l.account.take(now, m.index, -c.cost)
	if l.mark >= c.units+int64(l.missed) {
		l.mark -= c.cost
	}
	l.arrival.refund(now, c.cost, l.interval(m))
	l.estimate.undo(c.nth)
}

// over reports whether every report of the limit has expired. A window without a known end is forgotten after a
// day at most.
func (l *limit) over(now Instant) bool {
	return now > l.ends.told.hi && now > l.at.Add(min(l.window, forgetAfter)) && now >= l.held()
}

// forgettable reports whether the limit can be dropped at little cost. Learning a used-up limit again would
// cost a refusal.
func (l *limit) forgettable(now Instant) bool {
	return l.over(now) || l.remaining > 0 && now > l.at.Add(forgetAfter)
}
