package main

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/headway-go/headway/validate"
)

// A count is a number of units; negative: not known.
type count int64

// String returns the number, "–" if it is not known.
func (n count) String() string {
	if n < 0 {
		return notKnown
	}
	return strconv.FormatInt(int64(n), 10)
}

// MarshalJSON returns the number, null if it is not known.
func (n count) MarshalJSON() ([]byte, error) {
	if n < 0 {
		return []byte("null"), nil
	}
	return []byte(n.String()), nil
}

// notKnown stands for what is not told.
const notKnown = "–"

// A span is a time; negative: not known.
type span time.Duration

const unknown span = validate.Unknown

// String returns the time with three digits or to the second, whichever is finer, "–" if
// it is not known.
func (s span) String() string {
	if s < 0 {
		return notKnown
	}
	d := min(time.Duration(s), math.MaxInt64-time.Second) // there is something to round up to
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

// MarshalJSON returns the time in seconds, null if it is not known.
func (s span) MarshalJSON() ([]byte, error) {
	if s < 0 {
		return []byte("null"), nil
	}
	return number(time.Duration(s).Seconds()), nil
}

// A rate is in units per second; 0: there is none.
type rate float64

// interval is the time between two units.
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

// String returns the rate in units of which there is at least one in the time named, "–"
// if there is none.
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

// MarshalJSON returns the rate, null if there is none.
func (r rate) MarshalJSON() ([]byte, error) {
	if r <= 0 {
		return []byte("null"), nil
	}
	return number(float64(r)), nil
}

// number writes v with six digits, for machines calculate the seventeenth differently, or
// more if it is greater.
func number(v float64) []byte {
	precision := 6
	for w := math.Abs(v); w >= 1e6 && precision < 17; w /= 10 {
		precision++
	}
	return strconv.AppendFloat(nil, v, 'g', precision, 64)
}
