package main

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/headway-go/headway/validate"
)

// A count is a number of units; negative: unknown.
type count int64

// String returns the number, or "–" if it is unknown.
func (n count) String() string {
	if n < 0 {
		return notKnown
	}
	return strconv.FormatInt(int64(n), 10)
}

// MarshalJSON returns the number, or null if it is unknown.
func (n count) MarshalJSON() ([]byte, error) {
	if n < 0 {
		return []byte("null"), nil
	}
	return []byte(n.String()), nil
}

// notKnown stands for an unknown value.
const notKnown = "–"

// A span is a duration; negative: unknown.
type span time.Duration

const unknown span = validate.Unknown

// String returns the duration, rounded to three digits or to a second, whichever is finer; "–" if it is
// unknown.
func (s span) String() string {
	if s < 0 {
		return notKnown
	}
	d := min(time.Duration(s), math.MaxInt64-time.Second) // leaves room for rounding up
	unit := time.Duration(1)
	for unit < time.Second && d/unit >= 1000 {
		unit *= 10
	}
	text := d.Round(unit).String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// MarshalJSON returns the duration in seconds, or null if it is unknown.
func (s span) MarshalJSON() ([]byte, error) {
	if s < 0 {
		return []byte("null"), nil
	}
	return number(time.Duration(s).Seconds()), nil
}

// A rate is in units per second; 0: none.
type rate float64

// interval returns the time between two units.
func (r rate) interval() span {
	if r <= 0 {
		return unknown
	}
	seconds := 1 / float64(r)
	if seconds > math.MaxInt64/float64(time.Second) {
		return math.MaxInt64
	}
	return span(seconds * float64(time.Second))
}

// String returns the rate, per the shortest usual time with at least one unit; "–" if there is none.
func (r rate) String() string {
	per := func(n float64, time string) string { return strconv.FormatFloat(n, 'g', 3, 64) + " per " + time }
	switch {
	case r <= 0:
		return notKnown
	case r >= 1000:
		return strconv.FormatFloat(float64(r), 'f', 0, 64) + " per second"
	case r >= 1:
		return per(float64(r), "second")
	case r >= 1./60:
		return per(float64(r)*60, "minute")
	case r >= 1./3600:
		return per(float64(r)*3600, "hour")
	}
	return per(float64(r)*86400, "day")
}

// MarshalJSON returns the rate, or null if there is none.
func (r rate) MarshalJSON() ([]byte, error) {
	if r <= 0 {
		return []byte("null"), nil
	}
	return number(float64(r)), nil
}

// number formats v with six digits, as processors differ in the last digits of a result. Numbers above a
// million get more digits.
func number(v float64) []byte {
	precision := 6
	for w := math.Abs(v); w >= 1e6 && precision < 17; w /= 10 {
		precision++
	}
	return strconv.AppendFloat(nil, v, 'g', precision, 64)
}
