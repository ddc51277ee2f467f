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

// A -Reset of 60000 may be 60,000 seconds or a minute. One response cannot tell. Two responses of one limit
// can: in milliseconds the number falls by 1000 for each second that passes, or the window begins anew long
// before the number would have run out in seconds. units remembers what the responses of a host told.
type units struct {
	millis atomic.Int32 // limits that are known to send milliseconds
	mu     sync.Mutex
	all    map[unitOf]sighting // at most maxUnits
}

const (
	maxUnits   = 256
	longDoubt  = 3600                    // a greater number is doubted until two responses have told its unit
	shortest   = 60                      // a smaller number needs no unit, unless a limit has milliseconds
	leastApart = 100 * time.Millisecond  // of two responses that tell milliseconds
	jitter     = 150                     // milliseconds by which the times of receipt may be wrong
	wellApart  = 2500 * time.Millisecond // of two responses that tell seconds
	known      = 2                       // the evidence that is enough
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
	evidence  int // for milliseconds if positive, for seconds if negative
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
	case seen.evidence < 0:
		return time.Second
	}
	return 0
}

// count keeps millis.
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

// compare changes the evidence by what a later response tells. isDone is false if s should be compared with
// a still later one.
func (s *sighting) compare(number float64, quota, remaining, now int64) (isDone bool) {
	apart := time.Duration(now - s.at)
	passed, fallen := apart.Seconds(), s.number-number
	weight := 1
	if s.number > longDoubt {
		weight = known // what is doubted needs no second proof
	}
	switch {
	case apart < 0 || fallen < 0 && remaining <= s.remaining:
		return true // another limit, or in another order
	case apart < leastApart:
		return false
	case s.isMillis(passed, fallen, quota, remaining):
		s.evidence = max(s.evidence, 0) + weight
		s.evidence = min(s.evidence, 2*known)
		return true
	case apart >= wellApart && math.Abs(fallen-passed) <= 1.5 && fallen >= 1:
		s.evidence--
		if s.evidence < known {
			s.evidence = -1
		}
		return true
	}
	return fallen < 0 || apart >= wellApart
}

// isMillis reports whether the number fell by 1000 per second, or the window began anew too early for
// seconds.
func (s *sighting) isMillis(passed, fallen float64, quota, remaining int64) bool {
	millis := 1000 * passed
	if fallen <= 0 {
		isFull := quota > 0 && remaining > s.remaining && remaining >= quota-quota/4
		return isFull && millis >= s.number-jitter && 4*passed < s.number
	}
	return remaining <= s.remaining && math.Abs(fallen-millis) <= jitter+millis/10 && fallen > 3*passed+10
}

// bareReset returns the time to a reset that is a number without a unit: in the unit of the host's
// profile, else of earlier responses. What no two responses have told yet counts in seconds. If that is more
// than an hour it is Unknown, or if nothing remains it counts in milliseconds: if these were seconds the next
// response tells so. A reader of one response has no earlier ones, and takes all as seconds.
func (r *reader) bareReset(from *source, l *limits.Told, seconds time.Duration) time.Duration {
	number := seconds.Seconds()
	host := hostOf(r.resp)
	if p := r.hostProfile(); p.ResetUnit > 0 || r.units == nil || host == "" {
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
func (r *reader) reset(from *source, l *limits.Told, w *parse.When) time.Duration {
	if w.Bare && w.After > 0 {
		return r.bareReset(from, l, w.After)
	}
	return r.delay(from, w)
}
