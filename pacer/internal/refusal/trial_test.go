package refusal_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/pacer/internal/refusal"
)

// minute returns a trial after 57 successes in the first minute, a refusal at 60 s, and a success a second later.
func minute() *refusal.Trial {
	t := &refusal.Trial{Begun: 1, Last: 61, Served: 61, N: 57}
	t.Refused(61)
	t.Sent(61.9, 61, 0)
	t.Succeeded(62, true)
	return t
}

// 57 in 61 s are 0.934 per second, and the next trial begins a little above. Its rate has more than doubled after three
// minutes without a refusal.
func TestTrialGrows(t *testing.T) {
	trial, now := minute(), 62.0
	rate := 0.98 * 1.04 * 57 / 61
	require.InEpsilon(t, rate, 1/trial.Gap(now), 0.01)
	for ; now < 62+181; now += trial.Gap(now) {
		if now < 62+119 {
			require.InEpsilon(t, rate, 1/trial.Gap(now), 0.01, "it stands for a while")
		}
		trial.Sent(now, 0, trial.Gap(now))
		trial.Succeeded(now, false)
	}
	require.Greater(t, 1/trial.Gap(now), 2*rate)
}

// A pause is no evidence: the rate is the same after an hour without requests.
func TestPauseIsNoEvidence(t *testing.T) {
	trial := minute()
	trial.Sent(62, 0, 1)
	trial.Sent(3662, 0, 1)
	require.InEpsilon(t, 1/0.952, trial.Gap(3662), 0.01)
}

// Ten minutes of refusals measure nothing: the rate is what it was when the last request had succeeded. The hold counts
// up to three times the time before it.
func TestNothingSucceeds(t *testing.T) {
	trial := minute()
	for now := 63.0; now < 600; now += 10 {
		trial.Refused(now)
		require.InEpsilon(t, 1/0.952, trial.Gap(now), 0.01)
	}
	never := refusal.Trial{Begun: 1, Last: 1}
	never.Refused(1)
	never.Succeeded(600, true)
	require.Zero(t, never.Gap(600), "no rate was measured")
}

// A stray refusal right after the beginning of a trial costs little, although the mean rate since then is low.
func TestStrayRefusal(t *testing.T) {
	trial := minute()
	for range 28 {
		trial.Succeeded(92, false)
	}
	trial.Refused(92)
	trial.Succeeded(92.25, true)
	require.Greater(t, 1/trial.Gap(92.25), 0.9*0.952)
}
