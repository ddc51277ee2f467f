package pacer_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/pacer"
)

// After Forget nothing is known, and earlier requests' responses do not bring it back.
func TestForget(t *testing.T) {
	for name, lie := range liars() {
		for _, retryAfter := range []time.Duration{unknown, month} {
			d := drive(t, even)
			d.get(ok())
			older := d.crowd(3)
			d.get(refuses(lie, retryAfter))
			d.p.Forget()
			require.Equal(t, pacer.State{InFlight: 3, Places: 1}, d.state(), name)
			d.answer(older[0], refuses(lie, unknown))
			d.answer(older[1], lie)
			d.lose(older[2])
			require.Equal(t, pacer.State{Places: 1}, d.state(), name)
			d.advance(second)
			d.wantWait(0)
			d.answer(d.proceed(), says(100, minute, 99, minute))
			require.EqualValues(t, 99, d.limit().Remaining)
		}
	}
}

// After Forget units keep their indices, so costs that callers have computed stay valid.
func TestForgetKeepsUnits(t *testing.T) {
	d := drive(t, even)
	d.get(tokens(59_000))
	want := d.p.Units()
	require.NotEmpty(t, want)
	d.p.Forget()
	require.Equal(t, want, d.p.Units())
}

// After Forget a Retry-After of an earlier request still counts.
func TestForgottenAndRefusedAnew(t *testing.T) {
	d := drive(t, even)
	older := d.send(1)
	d.p.Forget()
	d.answer(older, refuses(says(100, minute, 0, month), 30*second))
	require.GreaterOrEqual(t, d.wait(), 30*second)
	require.LessOrEqual(t, d.wait(), 31*second)
	require.Empty(t, d.policies())
	d.answer(d.proceed(), ok())
	require.Zero(t, d.held())
}
