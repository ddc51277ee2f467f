package pacer_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/pacer"
)

// Charge replaces what a request was charged, at once and in whichever order responses come.
func TestCharge(t *testing.T) {
	for _, row := range []struct {
		name string
		cost int64
	}{{"more", 7}, {"less", 1}, {"nothing", 0}, {"the same", 3}} {
		t.Run(row.name, func(t *testing.T) {
			d := idled(t, even)
			full := d.limit().Remaining
			ticket := d.send(3)
			d.lose(ticket)
			for range 2 { // once more changes nothing
				d.p.Charge(d.now, &pacer.Cost{Requests: row.cost}, &ticket)
				require.Equal(t, full-row.cost, d.limit().Remaining)
				require.Zero(t, d.p.InFlight())
			}
		})
	}
}

// A ticket that was charged nothing serves for an answer without a request. It counts, and older responses no more.
func TestChargeOfNothing(t *testing.T) {
	d := idled(t, even)
	older := d.send(1)
	var later pacer.Ticket
	d.p.Charge(d.now, &pacer.Cost{}, &later)
	reported := says(100, minute, 70, minute)
	d.p.Answered(d.now, &later, &reported)
	require.EqualValues(t, 70, d.limit().Remaining)
	require.EqualValues(t, 1, d.p.InFlight())
	d.answer(older, says(100, minute, 20, minute))
	require.EqualValues(t, 70, d.limit().Remaining)
	require.Zero(t, d.p.InFlight())
}
