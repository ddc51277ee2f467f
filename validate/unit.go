package validate

import (
	"math"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/parse"
)

// A -Reset of 60000 may be 60,000 seconds or a minute. One response cannot show it. Two responses of one limit
// can: in milliseconds the number falls by 1000 for each second that passes, or the window begins anew long
// before the number would have run out in seconds. units remembers what the responses of a host have shown.
//
// One name may stand for several limits: each user or each path of a host may have a window of its own. Then numbers in
// seconds differ as those in milliseconds would, by chance. So a number that does not fit milliseconds takes the
// evidence for them away, and a number of less than an hour needs several proofs in a row.
type units struct {
	millis atomic.Int32 // limits that are known to send milliseconds
	mu     sync.Mutex
	all    map[unitOf]sighting // at most maxUnits
}

const (
	maxUnits    = 256
	longDoubt   = 3600                    // a greater number is doubted until two responses have shown its unit
	shortest    = 60                      // a smaller number needs no unit, unless a limit has milliseconds
	leastApart  = 100 * time.Millisecond  // of two responses that show milliseconds
	jitter      = 150                     // milliseconds by which the times of receipt may be wrong
	leastNumber = 5 * jitter              // a smaller number shows no unit, as too many others would fit
	wellApart   = 2500 * time.Millisecond // of two responses that show seconds
	known       = 4                       // the evidence that is enough
	mixed       = -1                      // the evidence if responses do not fit milliseconds; less is for seconds
)

// A unitOf identifies a limit. A field of one host may list several limits.
type unitOf struct {
	host, field string
	quota       int64
}

// A sighting is a response that later ones of the same limit are compared with.
type sighting struct {
	at        int64 // nanoseconds since 1970
	number    float64
	remaining int64
	evidence  int // from -known, which means seconds, to 2*known; milliseconds from known on
}

// judge returns the unit of a number that was received at now, in nanoseconds since 1970: Millisecond,
// Second, or 0 if it is not known.
func (u *units) judge(id unitOf, number float64, remaining, now int64) time.Duration {
	u.mu.Lock()
	defer u.mu.Unlock()
	seen, ok := u.all[id]
	before := seen.evidence
	if !ok || seen.compare(number, id.quota, remaining, now) {
		seen.at, seen.number, seen.remaining = now, number, remaining
	}
	if !ok {
		id.host, id.field = strings.Clone(id.host), strings.Clone(id.field) // so that no header is kept alive
		u.makeRoom()
	}
	u.all[id] = seen
	u.count(before, seen.evidence)
	switch {
	case seen.evidence >= known:
		return time.Millisecond
	case seen.evidence < mixed:
		return time.Second
	}
	return 0
}

// count updates millis.
func (u *units) count(before, after int) {
	switch {
	case before < known && after >= known:
		u.millis.Add(1)
	case before >= known && after < known:
		u.millis.Add(-1)
	}
}

// makeRoom forgets the limit that was seen longest ago if there is no room for another one.
func (u *units) makeRoom() {
	if u.all == nil {
		u.all = make(map[unitOf]sighting)
	}
	if len(u.all) < maxUnits {
		return
	}
	var oldest unitOf
	first := true
	for id, s := range u.all {
		if first || s.at < u.all[oldest].at {
			oldest, first = id, false
		}
	}
	u.count(u.all[oldest].evidence, 0)
	delete(u.all, oldest)
}

// compare changes the evidence by what a later response shows. isDone is false if s should be compared with
// a still later one.
func (s *sighting) compare(number float64, quota, remaining, now int64) (isDone bool) {
	apart := time.Duration(now - s.at)
	passed, fallen := apart.Seconds(), s.number-number
	switch {
	case apart < 0:
		return true // in another order
	case apart < leastApart:
		return fallen < 0 && remaining <= s.remaining
	case s.number >= leastNumber && s.isMillis(passed, fallen, quota, remaining):
		s.confirmMillis()
		return true
	case apart >= wellApart && math.Abs(fallen-passed) <= 1.5 && fallen >= 1:
		s.confirmSeconds()
		return true
	}
	isOff, isFar := s.misses(passed, fallen, quota, remaining)
	if isOff {
		s.deny(isFar)
	}
	return isFar || fallen < 0 || apart >= wellApart
}

// confirmSeconds adds a proof of seconds. One is enough, unless the evidence for milliseconds is twice what is enough.
func (s *sighting) confirmSeconds() {
	if s.evidence -= known; s.evidence < known {
		s.evidence = -known
	}
}

// confirmMillis adds a proof of milliseconds. One is enough for a number that is doubted.
func (s *sighting) confirmMillis() {
	weight := 1
	if s.number > longDoubt {
		weight = known
	}
	s.evidence = min(s.evidence+weight, 2*known)
}

// deny takes back what proofs of milliseconds there are. If they are enough, a late receipt takes none back.
func (s *sighting) deny(isFar bool) {
	switch {
	case s.evidence >= known && isFar:
		s.evidence -= 2
	case s.evidence >= known || s.evidence < mixed:
	case isFar:
		s.evidence = mixed
	default:
		s.evidence = min(s.evidence, 0)
	}
}

// misses reports whether a later response does not fit milliseconds: before the end of the window the number
// is another one, or after it less remains. isFar means that a late receipt does not explain it.
func (s *sighting) misses(passed, fallen float64, quota, remaining int64) (isOff, isFar bool) {
	millis := 1000 * passed
	if millis < s.number-jitter {
		off := math.Abs(fallen - millis)
		return off > jitter+millis/10, off > 3000+millis/2
	}
	isOff = millis > s.number+500 && fallen > 0 && remaining < s.remaining
	return isOff, isOff && remaining < quota-quota/4
}

// isMillis reports whether the number fell by 1000 per second, or the window began anew too early for seconds. If the
// number is less than an hour, much of the quota must have come back: of two users, one may have a little more left.
func (s *sighting) isMillis(passed, fallen float64, quota, remaining int64) bool {
	millis := 1000 * passed
	if fallen <= 0 {
		least := s.remaining + 1
		if s.number <= longDoubt {
			least += quota / 4
		}
		isFull := quota > 0 && remaining >= max(least, quota-quota/4)
		return isFull && millis >= s.number-jitter && 4*passed < s.number
	}
	return remaining <= s.remaining && math.Abs(fallen-millis) <= jitter+millis/10 && fallen > 3*passed+10
}

// bareReset returns the time to a reset that is a number without a unit: in the unit of the host's
// profile, else of earlier responses. What no two responses have shown yet counts in seconds. If that is more
// than an hour it is Unknown, or if nothing remains it counts in milliseconds: if these were seconds the next
// response shows so. A reader of one response has no earlier ones, and takes all as seconds.
func (r *reader) bareReset(from *source, l *limits.Reported, seconds time.Duration) time.Duration {
	number := seconds.Seconds()
	host := hostOf(r.resp)
	if p := r.profile; p.ResetUnit > 0 || r.units == nil || host == "" {
		return p.resetDelay(seconds)
	}
	if number <= shortest && r.units.millis.Load() == 0 {
		return seconds
	}
	now := r.clock.localTime()
	if now.IsZero() {
		return seconds
	}
	switch r.units.judge(unitOf{host, from.names().Reset, l.Quota}, number, l.Remaining, now.UnixNano()) {
	case time.Millisecond:
		return seconds / 1000
	case time.Second:
		return seconds
	}
	if number > longDoubt {
		r.problem(from.names().Reset, Doubted)
		if l.Remaining != 0 {
			return Unknown
		}
		return seconds / 1000
	}
	return seconds
}

// hostOf returns the host that a response comes from; "" if it is not known.
func hostOf(resp *http.Response) string {
	if resp.Request == nil || resp.Request.URL == nil {
		return ""
	}
	return resp.Request.URL.Host
}

// reset returns the time to a -Reset of the limit l.
func (r *reader) reset(from *source, l *limits.Reported, w *parse.When) time.Duration {
	if w.Bare && w.After > 0 {
		return r.bareReset(from, l, w.After)
	}
	return r.delay(from, w)
}
