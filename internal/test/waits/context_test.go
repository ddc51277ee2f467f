package waits

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
)

// An askingContext is a custom context whose Deadline calls State.
type askingContext struct {
	context.Context
	transport *headway.Transport
}

func (c askingContext) Deadline() (time.Time, bool) {
	c.transport.State()
	return c.Context.Deadline()
}

// No lock is held while a context's methods are called, even if a hold begins while the request waits for the Ceiling.
func TestContextMayUseTheTransport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := kit.InTurn(kit.Status(200), kit.Status(429, "Retry-After", "20"), kit.Status(200))
		transport := &headway.Transport{Base: answers, Ceiling: rate.NewLimiter(rate.Every(10*time.Second), 1), MaxRetries: -1}
		kit.Prime(t, transport)
		done := make(chan struct{})
		go func() {
			defer close(done)
			kit.Prime(t, transport) // throttled after 10 s
		}()
		time.Sleep(time.Second)
		start := time.Now()
		require.NoError(t, kit.Fetch(askingContext{t.Context(), transport}, transport, kit.URL))
		require.Equal(t, 3, answers.Sent())
		require.Greater(t, time.Since(start), 28*time.Second, "it waited for the hold")
		<-done
	})
}
