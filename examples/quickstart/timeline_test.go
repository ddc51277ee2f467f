package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

// noon is when the tests' arrivals begin.
var noon = time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)

// arriving returns n arrivals at the given time after noon.
func arriving(n int, after time.Duration, allowed bool) ratelimittest.Arrivals {
	arrivals := make(ratelimittest.Arrivals, n)
	for i := range arrivals {
		arrivals[i] = ratelimittest.Arrival{Time: noon.Add(after), Allowed: allowed}
	}
	return arrivals
}

func join(parts ...ratelimittest.Arrivals) (all ratelimittest.Arrivals) {
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

func TestBar(t *testing.T) {
	for name, c := range map[string]struct {
		slice slice
		want  string
	}{
		"nothing":                    {slice{0, 0}, ""},
		"a whole row":                {slice{8, 0}, "█"},
		"five eighths":               {slice{5, 0}, "▅"},
		"one and a half":             {slice{12, 0}, "█▄"},
		"refused alone":              {slice{0, 16}, "××"},
		"both":                       {slice{16, 8}, "██×"},
		"one refusal is seen":        {slice{16, 1}, "██×"},
		"so is one allowed":          {slice{1, 16}, "█××"},
		"refusals have no fractions": {slice{11, 4}, "█×"},
	} {
		t.Run(name, func(t *testing.T) {
			var got strings.Builder
			for _, x := range bar(c.slice, 8) {
				require.Equal(t, x.glyph == refusedMark, x.as == red)
				got.WriteString(string(x.glyph))
			}
			require.Equal(t, c.want, got.String())
		})
	}
}

func TestTimelines(t *testing.T) {
	spiky := join(arriving(50, 0, true), arriving(10, 0, false), arriving(20, window, true))
	even := arriving(15, 0, true)
	for i := 1; i < 12; i++ {
		even = join(even, arriving(5, time.Duration(i)*tenth, true))
	}
	got := palette(false).timelines([]result{
		{contender: contender{name: "spiky", about: "bursts", first: "not the only one"}, begun: noon, arrivals: spiky},
		{contender: contender{name: "even", about: "paces", first: "the first burst"}, begun: noon, arrivals: even},
	})
	require.Equal(t, strings.TrimPrefix(`
Requests in each 0.5 s:  ██ allowed  ×× refused

spiky  bursts
  60 ┤×× ← not the only one
     │██
     │██
     │██
     │██                  ██
     │██                  ██
     └────────────────────┴───

even  paces
  15 ┤▄▄ ← the first burst
     │██▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄
     └────────────────────┴───
      0 s                 5 s
`, "\n"), got)
}
