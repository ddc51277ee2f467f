package gate

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/pacer"
)

// A hold is news if it is new, or lasts at least twice as long as before. A refusal that does not extend it says nothing.
func TestNewsOfAHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPartition(pacer.Config{Jitter: -1})
		sendOne(t, p, &pacer.Answer{RetryAfter: pacer.Unknown})
		now := p.settings.Clock.Now()
		for _, row := range []struct {
			retryAfter time.Duration
			holdEnd    pacer.Instant
			isNews     bool
		}{
			{10 * time.Second, now.Add(10 * time.Second), true},
			{10 * time.Second, 0, false},
			{15 * time.Second, now.Add(15 * time.Second), false},
			{30 * time.Second, now.Add(30 * time.Second), true},
		} {
			verdict := answer(sentNow(p), throttled(row.retryAfter))
			require.Equal(t, row.holdEnd, verdict.HoldEnd, row.retryAfter)
			require.Equal(t, row.isNews, verdict.IsNews, row.retryAfter)
		}
	})
}
