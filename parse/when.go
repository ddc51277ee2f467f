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
	Absent Form = iota // the field is absent or malformed
	Delay              // a delay from receipt, in seconds or as a duration: After is set
	Date               // a point in time on the server's clock: At is set
)

// A When is a time as a field reports it: a delay or a date.
type When struct {
	Form  Form
	Bare  bool          // a number of seconds in a -Reset field, recognized as a delay by its size alone
	After time.Duration // as sent, possibly negative; saturates at math.MaxInt64
	At    time.Time     // in UTC
}

func after(d time.Duration) When { return When{Form: Delay, After: d} }

func at(t time.Time) When { return When{Form: Date, At: t} }

// later returns the longer wait of w and v. A delay and a date cannot be compared without a clock: then
// it returns w.
func (w When) later(v When) When {
	switch {
	case w.Form != v.Form:
		return w
	case w.Form == Delay && v.After > w.After, w.Form == Date && v.At.After(w.At):
		return v
	}
	return w
}

// times returns n × unit, saturated. Both must not be negative.
func times(n int64, unit time.Duration) time.Duration {
	hi, lo := bits.Mul64(uint64(n), uint64(unit))
	if hi > 0 || lo > math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(lo)
}

// plus returns d + e, saturated. Both must not be negative.
func plus(d, e time.Duration) time.Duration {
	if d > math.MaxInt64-e {
		return math.MaxInt64
	}
	return d + e
}
