package pacer

import (
	"encoding/binary"
	"math"
	"time"
)

// mostUnits is how many units are restored at most: more would overflow in sums of them and of costs.
const mostUnits = 1 << 60

// A codec goes through the fields that are kept, in a fixed order, and so each part lists its
// fields once. It writes them, or reads them and takes the nearest possible value. A number is a varint, and
// a time is counted from when the snapshot was taken.
//
// Say that of 60 units 20 were left five seconds before the snapshot, and two were sent since. Then 20, −5 s
// and 2 are written. Restored on another clock a second later, 18 are left as told six seconds ago.
type codec struct {
	data    []byte
	reading bool
	damaged bool
	taken   Instant // when the snapshot was
	now     Instant
	latest  Instant // time that is believed
}

// word writes n, or reads what was written instead.
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

// text keeps a string, and an empty one if the data end before it does.
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

// time keeps a time; 0 stays 0.
func (c *codec) time(t *Instant, latest Instant) {
	isSet := *t != 0
	if c.flag(&isSet); isSet {
		since := time.Duration(c.word(int64(t.Sub(c.taken))))
		*t = min(max(c.taken.Add(since), 1), latest)
	}
}

// since keeps how many units were sent since some were. None are when they are restored.
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
