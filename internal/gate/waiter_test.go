package gate

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/pacer"
)

// The earlier of the deadline and the end of MaxWait bounds a wait. If they are at the same time, the deadline is the reason.
func TestBoundOfAWait(t *testing.T) {
	const none = time.Duration(-1)
	synctest.Test(t, func(t *testing.T) {
		c := clock.New()
		for _, row := range []struct {
			name              string
			maxWait, deadline time.Duration
			latest            time.Duration
			isDeadline        bool
		}{
			{"MaxWait", time.Minute, none, time.Minute, false},
			{"no wait at all", 0, none, 0, false},
			{"MaxWait first", time.Minute, time.Hour, time.Minute, false},
			{"the deadline first", time.Hour, time.Minute, time.Minute, true},
			{"both", time.Minute, time.Minute, time.Minute, true},
		} {
			ctx, want := t.Context(), pacer.Never
			if row.deadline != none {
				withDeadline, cancel := context.WithTimeout(ctx, row.deadline)
				defer cancel()
				ctx = withDeadline
			}
			if row.latest != none {
				want = c.Now().Add(row.latest)
			}
			require.Equal(t, bound{want, row.isDeadline}, boundOf(ctx, &c, c.Now(), row.maxWait), row.name)
		}
	})
}
