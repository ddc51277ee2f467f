package bench_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// A missed bound fails TestComparison and TestSilence. So does a bound with a wrong name.
func TestMissed(t *testing.T) {
	for _, tt := range []struct {
		name         string
		bounds, ours figures
		want         string // "": the bound is met
	}{
		{"worse", figures{refused: 10}, figures{refused: 10.1}, "refused ‰: 10.1, bound 10"},
		{"equal", figures{refused: 10}, figures{refused: 10}, ""},
		{"better", figures{refused: 10}, figures{refused: 9.9}, ""},
		{"at least, worse", figures{used: 0.9}, figures{used: 0.85}, "used: 0.85, bound 0.9"},
		{"at least, equal", figures{used: 0.9}, figures{used: 0.9}, ""},
		{"at least, better", figures{used: 0.9}, figures{used: 0.95}, ""},
		{"NaN", figures{used: 0.9}, figures{used: math.NaN()}, "used: NaN, bound 0.9"},
		{"not measured", figures{refused: 10}, figures{}, "refused ‰: –, bound 10"},
		{"unknown", figures{"refusals": 10}, figures{"refusals": 1}, `there is no column "refusals"`},
		{"no bound", nil, figures{refused: 1000}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := comparison{
				job:     job{bounds: map[string]figures{us().name: tt.bounds}},
				results: []result{{contender: us(), figures: tt.ours}},
			}
			if tt.want == "" {
				require.Empty(t, c.missed())
				return
			}
			require.Equal(t, []string{"headway, " + tt.want}, c.missed())
		})
	}
}

// Each client is judged by its own bounds. Bounds of an unknown client count as missed.
func TestMissedByWhom(t *testing.T) {
	c := comparison{
		job: job{bounds: map[string]figures{"AWS adaptive": {refused: 0}, "headwind": {refused: 0}}},
		results: []result{
			{contender: us(), figures: figures{refused: 1}},
			{contender: contender{name: "AWS adaptive"}, figures: figures{refused: 1}},
		},
	}
	require.Equal(t, []string{"AWS adaptive, refused ‰: 1.0, bound 0", `there is no client "headwind"`}, c.missed())
}

// A job must name each figure in which headway is worse than the other client by more than the noise.
func TestMissedBeside(t *testing.T) {
	for _, tt := range []struct {
		name         string
		ours, theirs figures
		named        []string
		want         []string
	}{
		{"worse", figures{refused: 106}, figures{refused: 100}, nil, []string{"refused ‰: 106.0, theirs 100.0"}},
		{"worse as named", figures{refused: 106}, figures{refused: 100}, []string{refused}, nil},
		{"worse by the noise", figures{refused: 104}, figures{refused: 100}, nil, nil},
		{"equal", figures{refused: 100}, figures{refused: 100}, nil, nil},
		{"at least, worse", figures{used: 0.94}, figures{used: 1}, nil, []string{"used: 0.94, theirs 1.00"}},
		{"at least, worse by the noise", figures{used: 0.96}, figures{used: 1}, nil, nil},
		{"misnamed", figures{refused: 1}, figures{refused: 1}, []string{"refusals"}, []string{`there is no column "refusals"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := comparison{job: job{worse: tt.named}, results: []result{{figures: tt.ours}, {figures: tt.theirs}}}
			require.Equal(t, tt.want, c.worseThan())
		})
	}
}

// Ahead names the clients that are better than headway in the table.
func TestAhead(t *testing.T) {
	of := func(name string, f figures) result { return result{contender: contender{name: name}, figures: f} }
	c := comparison{results: []result{
		of("headway", figures{refused: 1, used: 0.9}),
		of("worse", figures{refused: 2, used: 0.8}),
		of("equal", figures{refused: 1, used: 0.9}),
		of("better", figures{refused: 0, used: 1}),
		of("better by too little to see", figures{refused: 0.99, used: 0.901}),
		of("not measured", figures{used: 0.95}),
	}}
	require.Equal(t, "\n\n- **refused ‰**: better\n- **used**: better, not measured", c.Ahead())
	c.results = c.results[:3]
	require.Equal(t, " none.", c.Ahead())
}
