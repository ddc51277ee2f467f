package parse_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/parse"
)

func TestRemaining(t *testing.T) {
	for _, c := range []struct {
		name   string
		value  string
		want   int64
		err    error
		offset int
	}{
		{name: "number", value: "50", want: 50},
		{name: "zero", value: "0"},
		{name: "Reddit", value: "57.0", want: 57},
		{name: "rounded down", value: "57.9", want: 57},
		{name: "negative", value: "-1", want: -1},
		{name: "negative, without the fraction", value: "-1.5", want: -1},
		{name: "leading zeros", value: "007", want: 7},
		{name: "plus", value: "+7", want: 7},
		{name: "white space", value: "\t 7 ", want: 7},
		{name: "Docker Hub", value: "76;w=21600", want: 76},
		{name: "repeated by a proxy", value: "7,7 , 7", want: 7},
		{name: "20 digits", value: "99999999999999999999", want: math.MaxInt64},
		{name: "20 digits, negative", value: "-99999999999999999999", want: -math.MaxInt64},
		{name: "unlimited", value: "unlimited", want: unknown, err: parse.ErrNumber},
		{name: "null", value: "null", want: unknown, err: parse.ErrNumber},
		{name: "undefined", value: "undefined", want: unknown, err: parse.ErrNumber},
		{name: "NaN", value: "NaN", want: unknown, err: parse.ErrNumber},
		{name: "Inf", value: "-Inf", want: unknown, err: parse.ErrNumber, offset: 1},
		{name: "hexadecimal", value: "0x10", want: unknown, err: parse.ErrSyntax, offset: 1},
		{name: "empty", value: "", want: unknown, err: parse.ErrMissing, offset: -1},
		{name: "trailing junk", value: "5 requests", want: unknown, err: parse.ErrSyntax, offset: 2},
		{name: "thousands separator", value: "5,000", want: unknown, err: parse.ErrConflict, offset: 2},
		{name: "trailing comma", value: "5,", want: unknown, err: parse.ErrTruncated, offset: 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := readRemaining([]string{c.value})
			requireFault(t, err, c.err, c.offset)
			require.Equal(t, c.want, got)
		})
	}
}

func TestRemainingLines(t *testing.T) {
	got, err := readRemaining([]string{"5", "3", "x"})
	requireFault(t, err, parse.ErrConflict, 3)
	require.Equal(t, int64(3), got, "the smallest number")

	got, err = readRemaining([]string{"-1", "5"})
	requireFault(t, err, parse.ErrConflict, 4)
	require.Equal(t, int64(-1), got)

	got, err = readRemaining(nil)
	require.NoError(t, err)
	require.Equal(t, int64(unknown), got)
}

func TestUsed(t *testing.T) {
	got, err := readUsed([]string{"314", "315"})
	requireFault(t, err, parse.ErrConflict, 5)
	require.Equal(t, int64(315), got, "the greatest number")

	got, err = readUsed([]string{"-1"})
	requireFault(t, err, parse.ErrRange, 0)
	require.Equal(t, int64(unknown), got)
}
