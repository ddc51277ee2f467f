package codec

import (
	"encoding/binary"
	"math"
)

// MostUnits bounds restored units, so that sums of units and costs stay exact enough and finite.
const MostUnits = 1 << 60

// A Codec writes or reads one snapshot. Times are seconds on the clock of the process that writes or reads.
type Codec struct {
	Data    []byte  // what was written, or what is yet to be read
	Reading bool    // false: it writes
	Corrupt bool    // what was read is no snapshot
	Taken   float64 // when the snapshot was taken
	Now     float64 // when it is read
	Latest  float64 // the latest time that is accepted
}

// word writes n, or reads the number in its place.
func (c *Codec) word(n int64) int64 {
	if !c.Reading {
		c.Data = binary.AppendVarint(c.Data, n)
		return n
	}
	n, size := binary.Varint(c.Data)
	if size <= 0 {
		size, c.Corrupt = len(c.Data), true
	}
	c.Data = c.Data[size:]
	return n
}

// Text writes or reads a string. Damaged data leave it empty.
func (c *Codec) Text(s *string) {
	n := c.word(int64(len(*s)))
	switch {
	case !c.Reading:
		c.Data = append(c.Data, *s...)
	case n < 0 || n > int64(len(c.Data)):
		*s, c.Corrupt = "", true
	default:
		*s, c.Data = string(c.Data[:n]), c.Data[n:]
	}
}

// Flag writes or reads a truth value.
func (c *Codec) Flag(is *bool) {
	n := 0
	if *is {
		n = 1
	}
	Count(c, &n, 0, 1)
	*is = n == 1
}

// Optional writes or reads whether there is a value. It returns a copy of the value, or an empty one to read into; nil:
// there is none.
func Optional[T any](c *Codec, v *T) *T {
	is := v != nil
	if c.Flag(&is); !is {
		return nil
	}
	if v == nil {
		return new(T)
	}
	return new(*v)
}

// Time writes or reads a time, at most latest.
func (c *Codec) Time(t *float64, latest float64) {
	since := *t - c.Taken
	c.fraction(&since, -math.MaxFloat32, math.MaxFloat32)
	*t = min(c.Taken+since, latest)
}

// Count writes or reads a whole number within bounds.
func Count[N ~int | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~int64](c *Codec, n *N, least, most N) {
	*n = N(min(max(c.word(int64(*n)), int64(least)), int64(most)))
}

// Number writes or reads a number within bounds. NaN counts as 0.
func Number[F float32 | float64](c *Codec, f *F, least, most F) {
	x := float64(*f)
	c.fraction(&x, float64(least), float64(most))
	*f = F(x)
}

// fraction stores a whole number as a short varint, and any other one as its bits.
func (c *Codec) fraction(f *float64, least, most float64) {
	const whole = 1 << 40
	isWhole := *f == math.Trunc(*f) && math.Abs(*f) < whole
	c.Flag(&isWhole)
	if isWhole {
		*f = float64(c.word(int64(*f)))
	} else {
		*f = math.Float64frombits(uint64(c.word(int64(math.Float64bits(*f)))))
	}
	if math.IsNaN(*f) {
		*f = 0
	}
	*f = min(max(*f, least), most)
}
