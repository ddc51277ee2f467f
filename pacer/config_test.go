package pacer

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBurst(t *testing.T) {
	for _, row := range []struct {
		name         string
		burst, quota float64
		want         float64
	}{
		{"default: a tenth", 0, 1000, 100},
		{"default, small quota: ten", 0, 60, burstFloor},
		{"default, smaller quota: a quarter", 0, 20, 5},
		{"default, quota of one: one", 0, 1, 1},
		{"default, no quota: one", 0, 0, 1},
		{"chosen", 0.5, 1000, 500},
		{"chosen too small for one", 0.001, 60, 1},
		{"more than the quota", 3, 10, 30},
		{"negative: none", -1, 1000, 0},
		{"NaN: none", math.NaN(), 1000, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			require.InDelta(t, row.want, (&Config{Burst: row.burst}).burst(row.quota), 1e-9)
		})
	}
}

func TestJitter(t *testing.T) {
	for _, row := range []struct {
		name         string
		jitter, want float64
	}{
		{"default", 0, DefaultJitter},
		{"chosen", 0.3, 0.3},
		{"more than 1 is 1", 7, 1},
		{"infinite is 1", math.Inf(1), 1},
		{"negative: none", -0.3, 0},
		{"NaN: none", math.NaN(), 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			require.InDelta(t, row.want, (&Config{Jitter: row.jitter}).jitter(), 0)
		})
	}
}

// A slot is moved by the share of an interval that Jitter says, either way.
func TestJitterMovesTheNextSlot(t *testing.T) {
	for _, row := range []struct {
		name string
		u    float64
		want float64 // of an interval of 6 s
	}{
		{"earliest", 0, 5.4},
		{"even", 0.5, 6},
		{"late", 0.75, 6.3},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, Config{Burst: -1})
			d.get(says(10, minute, 10, minute))
			d.u = row.u
			d.send(1)
			require.InDelta(t, row.want, d.wait(1).Seconds(), 1e-6)
		})
	}
}
