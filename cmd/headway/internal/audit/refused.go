package audit

import (
	"cmp"
	"net/http"
	"time"

	"github.com/headway-go/headway/validate"
)

// refusal says whether a client can tell a refusal from another error.
func (s *seen) refusal() *Finding {
	refused := s.refusals()
	if len(refused) == 0 {
		return say(NotSeen, "none of %d requests was refused", len(s.all))
	}
	status := refused[0].Response.StatusCode
	switch v := refused[0].reading.Verdict; {
	case v == validate.VerdictNone:
		return say(Misleading, "status %d without Retry-After: clients cannot tell it from another error", status).with("refuse with 429 and Retry-After")
	case v == validate.VerdictNever:
		return say(True, "status %d; it says that waiting does not help", status)
	case status == http.StatusTooManyRequests:
		return say(True, "status 429")
	}
	return say(True, "status %d, which the other fields explain", status).with("429 says by itself that it is about a limit")
}

// agreement says whether refusals and the fields contradict each other.
func (s *seen) agreement() *Finding {
	if f := s.servedBeyond(); f != nil {
		return f
	}
	var found *Finding
	for i, x := range s.all {
		if !x.refused {
			continue
		}
		from := x
		if len(x.reading.Limits) == 0 && i > 0 {
			from = s.all[i-1]
		}
		f := x.agrees(from, s.cost)
		if f != nil && f.Verdict == Misleading {
			return f
		}
		found = cmp.Or(found, f)
	}
	return found
}

// agrees says whether a refusal agrees with what was told before, or by itself; nil if nothing was.
func (x *Exchange) agrees(from *Exchange, cost int64) *Finding {
	used, least, wait := scarce(from, cost), leastLeft(from), x.reading.RetryAfter
	switch {
	case used == nil && least >= cost && from == x:
		return say(Misleading, "the refusal says that %d are left", least).with("report the limit that refuses")
	case used == nil && least >= cost:
		return say(Misleading, "the request was refused, and %d were left before it", least).with("report the limit that refuses, or what others share")
	case used == nil:
		return nil
	case from == x && wait >= 0 && used.Reset >= 0 && (wait-used.Reset).Abs() > 2*tolerance:
		return say(Misleading, "Retry-After is %v, and the reset %v", short(wait), short(used.Reset)).with("tell one time to come back")
	}
	return say(True, "a request was refused when nothing was left")
}

// leastLeft returns the smallest remaining quota that a response tells; Unknown if it tells none.
func leastLeft(x *Exchange) int64 {
	least := int64(validate.Unknown)
	for _, l := range x.reading.Limits {
		if l.Remaining >= 0 && (least < 0 || l.Remaining < least) {
			least = l.Remaining
		}
	}
	return least
}

// servedBeyond finds a request that was served though nothing was left.
func (s *seen) servedBeyond() *Finding {
	for _, l := range s.limits {
		for i := range l.pairs {
			p := &l.pairs[i]
			if isShort(p.before.Reported, p.cost) && !p.end.IsZero() && !p.before.refused && p.after.isServed && p.after.Kind == Plain && p.isWithin() {
				return say(Misleading, "a request was served, and %d were left before it: clients wait in vain", p.before.Remaining)
			}
		}
	}
	return nil
}

// retry says whether Retry-After suffices.
func (s *seen) retry() *Finding {
	refused := s.refusals()
	if len(refused) == 0 {
		return nil
	}
	if refused[0].reading.RetryAfter < 0 {
		text := "when to come back"
		if soonest(refused[0]) >= 0 {
			text = "Retry-After; clients have to read the reset"
		}
		return say(NotTold, "%s", text).with("add Retry-After, in seconds: clients that know nothing else of limits wait for it")
	}
	f := say(NotSeen, "whether it is enough to wait %v, as Retry-After asks", short(refused[0].reading.RetryAfter))
	for i, x := range s.all[:len(s.all)-1] {
		next := s.all[i+1]
		wait := x.reading.RetryAfter
		if !x.refused || wait < 0 || next.Sent.Before(x.Received.Add(wait)) {
			continue
		}
		if next.refused {
			return say(Misleading, "too short: after a wait of %v, as Retry-After asks, the request was refused again", short(wait)).with("round the time until a request would be served up")
		}
		f = say(True, "after a wait of %v, as Retry-After asks, the request was served", short(wait))
	}
	return f
}

// errors says whether errors report limits, as served responses do.
func (s *seen) errors() *Finding {
	var refused, others, silent, silentRefused int
	for _, x := range s.all {
		isSilent := len(x.reading.Limits) == 0
		switch {
		case x.refused:
			refused++
			silentRefused += one(isSilent)
		case !x.isServed:
			others++
			silent += one(isSilent)
		}
	}
	const each = "report the limit with each response: a client that meets errors uses units, too"
	switch {
	case len(s.limits) == 0:
		return nil
	case silentRefused > 0:
		return say(NotTold, "%d of %d refusals report no limit", silentRefused, refused).with("report the limit with refusals, too")
	case silent > 0:
		return say(NotTold, "%d of %d errors report no limit", silent, others).with(each)
	case refused+others == 0:
		return say(NotSeen, "there was no error")
	}
	return say(True, "errors report the limit, too")
}

// notModified says whether responses with status 304 report limits.
func (s *seen) notModified() *Finding {
	for _, x := range s.all {
		switch {
		case x.Kind != Conditional || len(s.limits) == 0:
		case x.Response.StatusCode != http.StatusNotModified:
			return say(NotSeen, "a conditional request was answered with %d", x.Response.StatusCode)
		case len(x.reading.Limits) == 0:
			return say(NotTold, "a response with status 304 reports no limit").with("report the limit with 304, too, also if it costs nothing")
		default:
			return say(True, "a response with status 304 reports the limit, too")
		}
	}
	return nil
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// took returns the time from the first request to the last response.
func (s *seen) took() time.Duration { return s.all[len(s.all)-1].Received.Sub(s.all[0].Sent) }
