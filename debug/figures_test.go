package debug

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second:                     "0 s",
		0:                                "0 s",
		1:                                "1 ms",
		100 * time.Millisecond:           "0.1 s",
		4250 * time.Millisecond:          "4.2 s",
		9950 * time.Millisecond:          "10 s",
		59500 * time.Millisecond:         "1 min",
		time.Hour - 1:                    "1 h",
		90*time.Minute + 29:              "1 h 30 min",
		32*24*time.Hour + 61*time.Minute: "32 d 1 h",
		math.MaxInt64:                    "106751 d 23 h",
	} {
		require.Equal(t, want, span(d), d)
	}
	require.Equal(t, "0 s", about(49*time.Millisecond))
	require.Equal(t, "0.1 s", about(50*time.Millisecond))
}

func TestPerTime(t *testing.T) {
	for name, c := range map[string]struct {
		rate, suits float64
		want        string
	}{
		"nothing":                  {0, 0, "0/s"},
		"many":                     {1234567.8, 1234567.8, "1,234,568/s"},
		"three digits, rounded up": {99.96, 99.96, "100/s"},
		"one a minute":             {1.0 / 60, 1.0 / 60, "1.00/min"},
		"less":                     {1e-9, 1e-9, "0/h"},
		"in the unit of another":   {0.5, 20, "0.50/s"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, perTime(c.rate, c.suits))
		})
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 999: "999", 1000: "1,000", 12345: "12,345", 123456: "123,456", math.MaxInt64: "9,223,372,036,854,775,807",
	} {
		require.Equal(t, want, count(n))
	}
}
