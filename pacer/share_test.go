package pacer_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/pacer"
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

// Others take a fifth of the quota at once and leave. That is forgotten in some windows, and in minutes of a long one.
func TestShareIsForgottenInMinutes(t *testing.T) {
	for _, row := range []struct {
		quota  int64
		window time.Duration
		after  time.Duration
	}{
		{10, second, 2 * second}, {100, minute, 2 * minute}, {5000, hour, 5 * minute}, {60, hour, hour},
	} {
		t.Run(fmt.Sprint(row.quota, " per ", row.window), func(t *testing.T) {
			d := drive(t, even)
			left := row.quota
			serve := func() pacer.Answer {
				left--
				return says(row.quota, row.window, left, (row.window - d.since()%row.window + second - 1).Truncate(second))
			}
			busy := func(long time.Duration) {
				for from := d.since(); d.since() < from+long; {
					before := d.since() / row.window
					if d.advance(d.wait()); d.since()/row.window > before {
						left = row.quota
					}
					d.answer(d.send(1), serve())
				}
			}
			d.get(serve())
			busy(row.after)
			left -= row.quota / 5 // others take a fifth at once
			d.answer(d.send(1), serve())
			require.Less(t, d.limit().Share, 0.9)
			busy(row.after)
			require.InDelta(t, 0.98, d.limit().Share, 0.01)
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
