package parse

import (
	"math"
	"math/bits"
	"time"
)

// A Form is the way in which a When was written.
type Form uint8

// The forms of a When.
const (
	Absent Form = iota // no field, or malformed
	Delay              // a number of seconds or a duration from receipt: After is set
	Date               // a point in time on the server's clock: At is set
)

// A When is a time as a field tells it: after a delay, or at a date.
type When struct {
	Form  Form
	Bare  bool          // a number of seconds in a -Reset field, by its size alone
	After time.Duration // as sent: may be negative; saturated at ±math.MaxInt64
	At    time.Time     // in UTC
}

func after(d time.Duration) When { return When{Form: Delay, After: d} }

func at(t time.Time) When { return When{Form: Date, At: t} }

// later returns the longer wait of w and v. A delay and a date cannot be
// compared without a clock; of those w is taken.
func (w When) later(v When) When {
	switch {
	case w.Form != v.Form:
		return w
	case w.Form == Delay && v.After > w.After, w.Form == Date && v.At.After(w.At):
		return v
	}
	return w
}

// times returns n × unit, saturated. Neither may be negative.
func times(n int64, unit time.Duration) time.Duration {
	hi, lo := bits.Mul64(uint64(n), uint64(unit))
	if hi > 0 || lo > math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(lo)
}

// plus returns d + e, saturated. Neither may be negative.
func plus(d, e time.Duration) time.Duration {
	if d > math.MaxInt64-e {
		return math.MaxInt64
	}
	return d + e
}
