package meter

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMulDiv(t *testing.T) {
	tests := []struct {
		name       string
		a, b, c, q int64
	}{
		{"rounded down", 7, 3, 2, 10},
		{"a product of more than 64 bits", 1 << 62, 1 << 62, 1 << 62, 1 << 62},
		{"bounded by math.MaxInt64", 1 << 62, 1 << 62, 1, 1<<63 - 1},
		{"bounded if the quotient has 64 bits", 1 << 62, 2, 1, 1<<63 - 1},
		{"zero", 0, 5, 3, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.q, MulDiv(tt.a, tt.b, tt.c))
		})
	}
}
