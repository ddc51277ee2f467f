package gate

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
)

// Of all that wait, State tells the one that starts first. It need not be the one that came first.
func TestNextOfTwoLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPartition(pacer.Config{})
		usedUp := reported(limits.Requests, 60, 0, time.Minute)
		usedUp.Limits = append(usedUp.Limits, reported("tokens", 100, 0, time.Hour).Limits...)
		usedUp.Limits[1].Policy = "tokens"
		sendOne(t, p, usedUp)
		costly, free := newVisit(p), newVisit(p)
		costly.Price.Func = func(*http.Request, limits.Unit) int64 { return 20 }
		free.Price.Func = func(_ *http.Request, unit limits.Unit) int64 { return map[limits.Unit]int64{limits.Requests: 1}[unit] }
		p.queueNow(t, costly, pacer.Never)
		p.queueNow(t, free, pacer.Never)
		now, next := p.settings.Clock.Now(), p.State().Next
		require.Less(t, next.At, now.Add(10*time.Minute))
		require.Equal(t, "test", next.Policy)
		costly.Leave()
		free.Leave()
		requireFree(t, p)
	})
}
