package pacer_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
)

// One response that takes an hour, such as that of a long poll, does not delay the resets of later ones.
func TestOneSlowResponse(t *testing.T) {
	d := drive(t, even)
	get := func(took time.Duration, left int64, reset time.Duration) {
		ticket := d.proceed()
		d.advance(took)
		d.answer(ticket, several(limits.Reported{Policy: "default", Quota: 10, Window: 10 * second, Remaining: left, Reset: reset}))
	}
	get(second/20, 9, 10*second)
	get(second/20, 8, 9*second)
	get(hour, 7, 8*second)
	for range 3 {
		get(second/20, 0, second)
		begun := d.now
		get(second/20, 9, 10*second)
		require.LessOrEqual(t, d.now.Sub(begun), 21*second)
		d.advance(10 * second)
	}
}
