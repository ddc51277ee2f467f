package codec_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/pacer/internal/codec"
)

// A report stands for a room of the pacer.
type report struct {
	r     float64
	at    float64
	units uint32
	name  string
	is    bool
}

func (s *report) serialize(c *codec.Codec) {
	codec.Number(c, &s.r, 0, 100)
	c.Time(&s.at, c.Latest)
	codec.Count(c, &s.units, 0, 1000)
	c.Text(&s.name)
	c.Flag(&s.is)
}

// write returns the snapshot at 50 s.
func write(s report) []byte {
	c := codec.Codec{Taken: 50, Now: 50, Latest: 1000}
	s.serialize(&c)
	return c.Data
}

// A report five seconds before the snapshot is six seconds old a second later, on another clock.
func TestRestored(t *testing.T) {
	c := codec.Codec{Data: write(report{20, 45, 2, "tokens", true}), Reading: true, Taken: 9, Now: 10, Latest: 1000}
	var s report
	s.serialize(&c)
	require.Equal(t, report{20, 4, 2, "tokens", true}, s)
	require.False(t, c.Corrupt)
	require.Empty(t, c.Data)
}

// Nothing is out of its bounds once it is read, and NaN is 0.
func TestBounds(t *testing.T) {
	for _, row := range []struct{ r, restored float64 }{
		{-1, 0}, {0.1, 0.1}, {1e300, 100}, {math.Inf(-1), 0}, {math.NaN(), 0},
	} {
		c := codec.Codec{}
		codec.Number(&c, &row.r, -math.MaxFloat64, math.Inf(1))
		c = codec.Codec{Data: c.Data, Reading: true}
		codec.Number(&c, &row.r, 0, 100)
		require.InDelta(t, row.restored, row.r, 0)
	}
	c := codec.Codec{Data: write(report{at: 5000}), Reading: true, Latest: 30}
	var s report
	s.serialize(&c)
	require.LessOrEqual(t, s.at, 30.0)
}

// Whatever is cut off a snapshot, that is noticed.
func TestDamaged(t *testing.T) {
	data := write(report{20.5, 45, 2, "tokens", true})
	for n := range data {
		c := codec.Codec{Data: data[:n], Reading: true}
		new(report).serialize(&c)
		require.True(t, c.Corrupt, "%d of %d bytes", n, len(data))
	}
}
