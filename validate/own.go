package validate

import (
	"net/http"
	"strings"
	"time"
	"unicode"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/parse"
)

// Own is the Field of a Problem with what the caller has read by itself.
const Own = "Transport.Limits"

// Add adds to a Reading what the caller has read of the same response by itself: own.Limits,
// own.RetryAfter and own.Verdict. The other fields of own are ignored. reading comes from Read; the
// result replaces it. Nothing of own is kept but its strings. resp may be nil if there is no response.
//
// The limits come after those of the fields, as one more family, and are bounded and merged in the same
// way. Only the first MaxLimits count. A Quota or Remaining below 0 is Unknown, and so is a Window or Reset
// of 0 or less. A Remaining of 0 without a Reset is Unknown too, unless the response is an error or a refusal
// by own.Verdict. A Cost of 0 or less is not known. Dialect has no effect. A limit in another unit than requests is named after its
// unit if it has no name. Characters in names that cannot be printed are replaced.
//
// A RetryAfter of 0 or less means that there is none. Else the longer one of it and of the response's
// counts. If own.Verdict is not VerdictNone the response is a refusal, whatever its status. With VerdictNever waiting does not
// help; with VerdictWait the signs of all hosts cannot say that it does not. The limits of a response from a cache are ignored.
func (r *Reader) Add(reading *Reading, resp *http.Response, own *Reading) *Reading {
	if len(own.Limits) == 0 && own.RetryAfter <= 0 && own.Verdict == VerdictNone {
		return reading
	}
	x := reader{Reader: r, Reading: r.writable(reading), resp: resp, profile: &none}
	x.earlier = len(x.Limits)
	if wait := max(own.RetryAfter, 0); wait > 0 {
		x.problemIf(clamp(&wait, r.bounds.MaxReset), Own, TooLong)
		x.RetryAfter = max(x.RetryAfter, wait)
	}
	if own.Verdict != VerdictNone {
		x.note(&Sign{Member: Own, Verdict: own.Verdict}, Unknown)
		x.WantsBody = x.WantsBody && own.Verdict != VerdictNever // which nothing in the body changes
	}
	x.addAll(Own, own.Limits)
	x.isRefused = x.isRefused || resp != nil && x.isRefusal(x.Limits)
	x.judge()
	return x.Reading
}

// addAll adds limits that no field reports.
func (r *reader) addAll(origin string, all []limits.Reported) {
	if len(all) > 0 && r.Cached {
		r.problem(origin, Cached)
		return
	}
	if len(all) > MaxLimits {
		r.problem(origin, Crowded)
		all = all[:MaxLimits]
	}
	isServed := !r.isRefused && (r.resp == nil || r.resp.StatusCode < http.StatusBadRequest)
	from := parse.Row{Names: parse.Names{Limit: origin, Remaining: origin, Reset: origin}}
	for i := range all {
		l := all[i]
		clean(&l)
		if isServed && l.Remaining == 0 && l.Reset == Unknown { // left out, as nobody says when there is more
			l.Remaining = Unknown
		}
		r.add(&from, &l)
	}
}

// clean makes Unknown what cannot be a number, and makes names printable.
func clean(l *limits.Reported) {
	l.Quota, l.Remaining = max(l.Quota, Unknown), max(l.Remaining, Unknown)
	l.Window, l.Reset, l.Cost = positive(l.Window), positive(l.Reset), max(l.Cost, 0)
	l.Policy, l.PartitionKey, l.Unit = printable(l.Policy), printable(l.PartitionKey), printable(l.Unit)
	switch {
	case l.Unit == "":
		l.Unit = limits.Requests
	case l.Policy == "" && l.Unit != limits.Requests:
		l.Policy = string(l.Unit)
	}
}

func positive(d time.Duration) time.Duration {
	if d <= 0 {
		return Unknown
	}
	return d
}

// printable replaces the characters of a name that cannot be printed, and what is no UTF-8.
func printable[S ~string](name S) S {
	return S(strings.Map(func(c rune) rune {
		if unicode.IsPrint(c) {
			return c
		}
		return unicode.ReplacementChar
	}, string(name)))
}

// Until returns the time from the receipt of a response to a point in time on the server's clock, for a limit that the
// caller reads by itself. It measures from the response's Date plus its Age. If that is absent or malformed, or gives
// more than a year, it measures from receivedAt, the time of receipt on the local clock, if that is not zero. A point in
// the past gives 0. Unknown means that no clock is known, that at is zero, or that it is more than a year ahead by both
// clocks. resp may be nil.
func Until(resp *http.Response, receivedAt, at time.Time) time.Duration {
	if at.IsZero() {
		return Unknown
	}
	if resp == nil {
		resp = &http.Response{}
	}
	var room [parse.UsualFields]parse.Found
	var f parse.Fields
	f.Read(find(resp, &none, room[:0]))
	x := reader{Reader: &Reader{received: receivedAt}, Reading: &Reading{}, resp: resp}
	x.setClock(f.Age, f.FromCache)
	return x.delay(Own, &parse.When{Form: parse.Date, At: at})
}
