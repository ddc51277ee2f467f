package ratelimittest

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/headway-go/headway/internal/meter"
)

// A filling has the values of the placeholders of Fields and Respond.
type filling struct {
	decision Decision
	now      time.Time
	limit    Limit // the reported one
	isKnown  bool  // there is a limit
	cost     int64 // of the request; negative: not known
}

// filling returns the values of the tightest limit. Its counts are those of structured fields if inStructured.
func (d Decision) filling(now time.Time, inStructured bool) filling {
	f := filling{decision: d, now: now, cost: -1}
	f.limit, f.isKnown = d.tightest()
	if inStructured {
		f.limit = f.limit.structured()
	}
	return f
}

// fill replaces the placeholders of text. It returns false if a value is missing; null stands in its place.
func (f filling) fill(text string) (string, bool) {
	var b strings.Builder
	complete := true
	for {
		before, rest, found := strings.Cut(text, "{")
		b.WriteString(before)
		if !found {
			return b.String(), complete
		}
		name, after, _ := strings.Cut(rest, "}")
		value, isPlaceholder := f.value(name)
		switch {
		case !isPlaceholder:
			b.WriteByte('{')
			text = rest
			continue
		case value == "":
			complete, value = false, "null"
		}
		b.WriteString(value)
		text = after
	}
}

// value returns the value of a placeholder, which is "" if it is missing, and false if there is no such placeholder.
func (f filling) value(name string) (string, bool) {
	switch name {
	case "cost":
		return atLeast(0, f.cost, count(f.cost)), true
	case "retry-after":
		return atLeast(1, int64(f.decision.RetryAfter), seconds(f.decision.RetryAfter)), true
	case "retry-date":
		return atLeast(1, int64(f.decision.RetryAfter), httpDate(roundUp(f.now.Add(f.decision.RetryAfter), time.Second))), true
	}
	value, isPlaceholder := f.ofLimit(name)
	if !f.isKnown {
		value = ""
	}
	return value, isPlaceholder
}

// ofLimit is value for the placeholders of the limit.
func (f filling) ofLimit(name string) (string, bool) {
	l := f.limit
	switch name {
	case "limit":
		return count(l.Quota), true
	case "remaining":
		return count(l.Remaining), true
	case "used":
		return count(max(l.Quota-l.Remaining, 0)), true
	case "percent":
		return count(l.percentUsed()), true
	case "window":
		return atLeast(1, int64(l.Window), seconds(l.Window)), true
	case "rate":
		return atLeast(1, int64(l.Window), strconv.FormatFloat(float64(l.Quota)/l.Window.Seconds(), 'f', -1, 64)), true
	case "policy":
		return l.Policy, true
	case "unit":
		return dimension(l.Unit), true
	case "policies":
		return f.decision.namelessPolicies(l), true
	}
	value, isPlaceholder := f.ofReset(name)
	return atLeast(0, int64(l.Reset), value), isPlaceholder
}

// ofReset is value for the forms of the reset.
func (f filling) ofReset(name string) (string, bool) {
	reset := f.limit.Reset
	switch name {
	case "reset":
		return seconds(reset), true
	case "duration":
		return ceil(reset, time.Millisecond).String(), true
	case "unix":
		return count(roundUp(f.now.Add(reset), time.Second).Unix()), true
	case "unix-ms":
		return count(roundUp(f.now.Add(reset), time.Millisecond).UnixMilli()), true
	case "rfc3339":
		return roundUp(f.now.Add(reset), time.Second).UTC().Format(time.RFC3339), true
	}
	return "", false
}

// atLeast returns text, or "" if n is below least.
func atLeast(least, n int64, text string) string {
	if n < least {
		return ""
	}
	return text
}

// percentUsed returns how much of a quota is used, from 0 to 100, rounded up. A quota of 0 is used up.
func (l Limit) percentUsed() int64 {
	if l.Quota <= 0 {
		return 100
	}
	return 100 - meter.MulDiv(min(max(l.Remaining, 0), l.Quota), 100, l.Quota)
}

func httpDate(t time.Time) string { return t.UTC().Format(http.TimeFormat) }

func count(n int64) string { return strconv.FormatInt(n, 10) }

func seconds(d time.Duration) string { return count(wholes(d, time.Second)) }

// wholes returns the number of units in d, rounded up. d is not negative.
func wholes(d, unit time.Duration) int64 {
	n := int64(d / unit)
	if d%unit > 0 {
		n++
	}
	return n
}

// roundUp returns the first whole unit at or after t.
func roundUp(t time.Time, unit time.Duration) time.Time {
	down := t.Truncate(unit)
	if down.Before(t) {
		return down.Add(unit)
	}
	return down
}

// ceil rounds d up to a whole unit, or down if the result would overflow. d is not negative.
func ceil(d, unit time.Duration) time.Duration {
	return time.Duration(min(wholes(d, unit), int64(math.MaxInt64/unit))) * unit
}
