package figures_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/figures"
)

// A missed bound fails what measures. So does a bound with a wrong name.
func TestMissed(t *testing.T) {
	const refused, used = figures.Refused, figures.Used
	for _, row := range []struct {
		name         string
		bounds, ours figures.Figures
		want         []string // nil: the bound is met
	}{
		{"worse", figures.Figures{refused: 10}, figures.Figures{refused: 10.1}, []string{"refused ‰: 10.1, bound 10"}},
		{"equal", figures.Figures{refused: 10}, figures.Figures{refused: 10}, nil},
		{"better", figures.Figures{refused: 10}, figures.Figures{refused: 9.9}, nil},
		{"at least, worse", figures.Figures{used: 0.9}, figures.Figures{used: 0.85}, []string{"used: 0.85, bound 0.9"}},
		{"at least, equal", figures.Figures{used: 0.9}, figures.Figures{used: 0.9}, nil},
		{"NaN", figures.Figures{used: 0.9}, figures.Figures{used: math.NaN()}, []string{"used: NaN, bound 0.9"}},
		{"not measured", figures.Figures{refused: 10}, figures.Figures{}, []string{"refused ‰: –, bound 10"}},
		{"unknown", figures.Figures{"refusals": 10}, figures.Figures{"refusals": 1}, []string{`there is no column "refusals"`}},
		{"no bound", nil, figures.Figures{refused: 1000}, nil},
	} {
		t.Run(row.name, func(t *testing.T) { require.Equal(t, row.want, row.ours.Missed(row.bounds)) })
	}
}
