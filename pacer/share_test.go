package pacer_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// If r falls by 80 while this client uses 20 units, the client's share is (20/80)^0.9 = 0.287.
func TestShare(t *testing.T) {
	for _, row := range []struct {
		name   string
		others int64 // units that others use for each own unit
		left   int64 // r at the end, of 100
		want   float64
	}{
		{"alone", 0, 20, 1},
		{"a quarter", 3, 40, 0.287},
		{"a half", 1, 20, 0.536},
		{"a twentieth", 19, 0, 0.067},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			d.beside(row.others, 100, row.left)
			require.InDelta(t, row.want, d.limit().Share, 0.02)
			if row.others > 0 {
				require.Less(t, d.limit().Share, 1.0)
			}
		})
	}
}

// A refusal with r = 0 reduces the own units in the share to seven tenths, once for all requests in flight. A refusal
// with quota left changes nothing. A client alone has no share to reduce.
func TestRefusalLowersTheShare(t *testing.T) {
	for _, row := range []struct {
		name   string
		others int64
		left   int64
		want   float64
	}{{"nothing is left", 1, 0, 0.389}, {"some is left", 1, 20, 0.536}, {"alone", 0, 0, 1}} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			d.beside(row.others, 100, row.left)
			flight := d.crowd(5)
			for _, ticket := range flight {
				d.answer(ticket, refuses(says(100, minute, row.left, second), second))
			}
			require.InDelta(t, row.want, d.limit().Share, 0.03)
		})
	}
}

// Responses to concurrent requests arrive in any order, and each r includes the other requests. The client
// does not take these for other clients' use, but still detects other clients.
func TestOvertakingIsNoUseOfOthers(t *testing.T) {
	for _, row := range []struct {
		name   string
		others int64
		share  float64
	}{{"alone", 0, 1}, {"others use as much at the same time", 8, 0.536}} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			d.get(says(60, minute, 59, 59*second))
			d.get(says(60, minute, 58, 59*second))
			burst := d.crowd(8)
			// The server counts the requests in this order, but the responses arrive in the order of i.
			for i, nth := range []int64{7, 1, 2, 8, 3, 4, 5, 6} {
				d.answer(burst[i], says(60, minute, 58-nth-row.others*nth/8, 59*second))
			}
			d.get(says(60, minute, 58-8-row.others-1, 59*second))
			require.InDelta(t, row.share, d.limit().Share, 0.1)
		})
	}
}
