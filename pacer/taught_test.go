package pacer_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/pacer"
)

// Unlearn takes back what refusals have taught: the pace and the places are as before, and the time between
// does not count.
func TestUnlearn(t *testing.T) {
	d := &driver{t: t, p: pacer.New(&even), now: start}
	served := pacer.Answer{RetryAfter: unknown}
	for range 20 {
		d.get(served)
		d.advance(100 * time.Millisecond)
	}
	ticket := d.send(1)
	taught := d.p.Taught(d.now, &ticket)
	require.EqualValues(t, 20, taught.Served)
	require.EqualValues(t, 21, taught.Sent)
	require.EqualValues(t, 21, taught.Nth)

	refused := pacer.Answer{Refused: true, RetryAfter: unknown}
	d.answer(ticket, refused)
	crowd := d.crowd(8)
	for _, one := range crowd {
		d.answer(one, refused)
	}
	d.advance(10 * time.Second)
	d.get(refused)
	require.Positive(t, d.held())

	d.p.Unlearn(d.now, &taught)
	require.Positive(t, d.held(), "it ends as it would have")
	d.advance(d.wait())
	for range 20 {
		d.wantWait(0)
		d.get(served)
	}
	require.EqualValues(t, 40, d.p.Taught(d.now, &ticket).Served)
	d.occupy(8)
}

// Unlearn restores a partition that knew nothing to that state.
func TestUnlearnAll(t *testing.T) {
	d := &driver{t: t, p: pacer.New(&even), now: start}
	ticket := d.send(1)
	taught := d.p.Taught(d.now, &ticket)
	d.answer(ticket, pacer.Answer{Refused: true, RetryAfter: unknown})
	d.p.Unlearn(d.now, &taught)
	d.advance(d.wait())
	d.get(pacer.Answer{RetryAfter: unknown})
	d.wantWait(0)
}
