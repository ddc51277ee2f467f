package main

import (
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"time"
)

// A count is a number of units; negative: unknown, null in JSON.
type count int64

func (n count) String() string { return strconv.FormatInt(int64(n), 10) }

// MarshalJSON implements json.Marshaler.
func (n count) MarshalJSON() ([]byte, error) { return number(float64(n), n >= 0) }

// A span is a duration; negative: unknown. In JSON it is a number of seconds, or null.
type span time.Duration

var wholeUnit = regexp.MustCompile(`([hm])0[ms]$`)

// String returns the duration, rounded to three digits or to a second, whichever is finer.
func (s span) String() string {
	d := min(time.Duration(s), math.MaxInt64-time.Second) // leaves room for rounding up
	unit := time.Duration(1)
	for unit < time.Second && d/unit >= 1000 {
		unit *= 10
	}
	text := wholeUnit.ReplaceAllString(d.Round(unit).String(), "$1")
	return wholeUnit.ReplaceAllString(text, "$1")
}

// MarshalJSON implements json.Marshaler.
func (s span) MarshalJSON() ([]byte, error) { return number(time.Duration(s).Seconds(), s >= 0) }

// A rate is in requests per second; 0: none, null in JSON.
type rate float64

// String returns the rate, per the shortest usual time with at least one request.
func (r rate) String() string {
	n, per := float64(r), "second"
	switch {
	case n >= 1:
	case n >= 1./60:
		n, per = 60*n, "minute"
	case n >= 1./3600:
		n, per = 3600*n, "hour"
	default:
		n, per = 86400*n, "day"
	}
	digits := max(3, int(math.Log10(n))+1)
	return strconv.FormatFloat(n, 'g', digits, 64) + " per " + per
}

// interval returns the time between two requests.
func (r rate) interval() span {
	return span(min(float64(time.Second)/float64(r), math.MaxInt64/2))
}

// MarshalJSON implements json.Marshaler.
func (r rate) MarshalJSON() ([]byte, error) { return number(float64(r), r > 0) }

// number returns a number of six digits, or more if it is a whole one: processors differ in the last digits of a result.
func number(v float64, isKnown bool) ([]byte, error) {
	if !isKnown {
		return []byte("null"), nil
	}
	if v != math.Trunc(v) {
		v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64)
	}
	return json.Marshal(v)
}
