package pacer

import (
	"encoding/binary"
	"math"
	"time"
)

// mostUnits bounds restored units, so that sums of units and costs do not overflow.
const mostUnits = 1 << 60

// A codec writes or reads the fields of a snapshot. The same code does both, so each part lists its fields
// once. When it reads, it replaces an impossible value by the nearest possible one. A number is a varint. A
// time is stored relative to the time of the snapshot.
//
// An example: five seconds before the snapshot r was 20, and two units were sent since. Then 20, −5 s and 2
// are written. A process that restores it a second later, on another clock, has 18 units left and a report
// that is six seconds old.
type codec struct {
	data    []byte
	reading bool
	damaged bool
	taken   Instant // when the snapshot was taken
	now     Instant
	latest  Instant // the latest time that is accepted
}

// word writes n, or reads the number in its place.
func (c *codec) word(n int64) int64 {
	if !c.reading {
		c.data = binary.AppendVarint(c.data, n)
		return n
	}
	n, size := binary.Varint(c.data)
	if size <= 0 {
		size, c.damaged = len(c.data), true
	}
	c.data = c.data[size:]
	return n
}

// text writes or reads a string. Damaged data leave it empty.
func (c *codec) text(s *string) {
	n := c.word(int64(len(*s)))
	switch {
	case !c.reading:
		c.data = append(c.data, *s...)
	case n < 0 || n > int64(len(c.data)):
		c.damaged = true
	default:
		*s, c.data = string(c.data[:n]), c.data[n:]
	}
}

func (c *codec) flag(is *bool) {
	n := 0
	if *is {
		n = 1
	}
	count(c, &n, 0, 1)
	*is = n == 1
}

// time writes or reads a time, at most latest; 0 stays 0.
func (c *codec) time(t *Instant, latest Instant) {
	isSet := *t != 0
	if c.flag(&isSet); isSet {
		since := time.Duration(c.word(int64(t.Sub(c.taken))))
		*t = min(max(c.taken.Add(since), 1), latest)
	}
}

// since writes or reads how many units were sent after mark. A restored limit has sent none in all, so mark
// is negative.
func (c *codec) since(mark *int64, units int64) {
	n := units - *mark
	count(c, &n, 0, mostUnits)
	*mark = units - n
}

func count[N ~int | ~uint8 | ~uint16 | ~uint32 | ~int8 | ~int32 | ~int64](c *codec, n *N, least, most N) {
	*n = N(min(max(c.word(int64(*n)), int64(least)), int64(most)))
}

func number[F float32 | float64](c *codec, f *F, least, most float64) {
	bits := c.word(int64(math.Float64bits(float64(*f))))
	*f = F(within(math.Float64frombits(uint64(bits)), least, most))
}
