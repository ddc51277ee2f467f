package audit

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"

	"github.com/headway-go/headway/validate"
)

// refusal says whether a client can tell a refusal from another error.
func (s *seen) refusal() *Finding {
	if len(s.refused) == 0 {
		return say(NotSeen, "none of %d requests was refused", len(s.all))
	}
	status := s.refused[0].Response.StatusCode
	switch v := s.refused[0].Reading.Verdict; {
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
	for _, l := range s.limits {
		if l.beyond != nil {
			return l.beyond
		}
	}
	var found *Finding
	for i, x := range s.all {
		from := x
		if len(x.Reading.Limits) == 0 && i > 0 {
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
	used, wait := from.scarce(cost), x.Reading.RetryAfter
	switch {
	case !x.Refused, used == nil && from.least() < cost:
		return nil
	case used == nil && from == x:
		return say(Misleading, "the refusal says that %d are left", from.least()).with("report the limit that refuses")
	case used == nil:
		return say(Misleading, "the request was refused, and %d were left before it", from.least()).with("report the limit that refuses, or what others share")
	case from == x && wait >= 0 && used.Reset >= 0 && (wait-used.Reset).Abs() > 2*tolerance:
		return say(Misleading, "Retry-After is %v, and the reset %v", short(wait), short(used.Reset)).with("tell one time to come back")
	}
	return say(True, "a request was refused when nothing was left")
}

// retry says whether Retry-After suffices.
func (s *seen) retry() *Finding {
	switch {
	case len(s.refused) == 0:
		return nil
	case s.refused[0].Reading.RetryAfter < 0:
		text := "when to come back"
		if s.refused[0].soonest() >= 0 {
			text = "Retry-After; clients have to read the reset"
		}
		return say(NotTold, "%s", text).with("add Retry-After, in seconds: clients that know nothing else of limits wait for it")
	}
	f := say(NotSeen, "whether it is enough to wait %v, as Retry-After asks", short(s.refused[0].Reading.RetryAfter))
	for i, next := range s.all[1:] {
		x := s.all[i]
		wait := x.Reading.RetryAfter
		switch {
		case !x.Refused || wait < 0 || next.Sent.Before(x.Received.Add(wait)):
		case next.Refused:
			return say(Misleading, "too short: after a wait of %v, as Retry-After asks, the request was refused again", short(wait)).with("round the time until a request would be served up")
		default:
			f = say(True, "after a wait of %v, as Retry-After asks, the request was served", short(wait))
		}
	}
	return f
}

// errors says whether errors and responses with status 304 report limits, as others do.
func (s *seen) errors() *Finding {
	var silent []string
	all := 0
	for _, kind := range []struct {
		name string
		is   func(*Exchange) bool
	}{
		{"refusals", func(x *Exchange) bool { return x.Refused }},
		{"other errors", func(x *Exchange) bool { return !x.Refused && !x.isServed }},
		{"responses with status 304", func(x *Exchange) bool { return x.Response.StatusCode == http.StatusNotModified }},
	} {
		n, none := 0, 0
		for _, x := range s.all {
			n += one(kind.is(x))
			none += one(kind.is(x) && len(x.Reading.Limits) == 0)
		}
		if all += n; none > 0 {
			silent = append(silent, fmt.Sprintf("%d of %d %s report no limit", none, n, kind.name))
		}
	}
	switch {
	case len(s.limits) == 0:
		return nil
	case len(silent) > 0:
		return say(NotTold, "%s", strings.Join(silent, "; ")).with("report the limit with each response: a client that meets errors uses units, too")
	case all == 0:
		return say(NotSeen, "there was no error, and no response with status 304")
	}
	return say(True, "errors report the limit, too")
}
