package waits

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
)

// A resend may be granted while its throttled response is still being read. A hold that begins meanwhile delays
// it.
func TestResendWaitsForAHoldSetWhileItsResponseWasRead(t *testing.T) {
	const drainTime = 250 * time.Millisecond
	synctest.Test(t, func(t *testing.T) {
		var heldUntil atomic.Int64 // in ns since 1970
		answers := kit.InTurn(
			kit.Status(200, "RateLimit", `"a";r=999;t=1`, "RateLimit-Policy", `"a";q=1000;w=1`),
			func(req *http.Request) *http.Response { // its body is read for drainTime
				resp := kit.Respond(req, 429, "Retry-After", "0")
				resp.Body = &slowBody{make(chan struct{})}
				return resp
			},
			kit.Status(200),
		)
		transport := &headway.Transport{Base: kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
			if strings.HasSuffix(req.URL.Path, "other") {
				time.Sleep(drainTime - 20*time.Millisecond)
				heldUntil.Store(time.Now().Add(time.Minute).UnixNano())
				return kit.Respond(req, 403, "Retry-After", "60"), nil
			}
			if early := heldUntil.Load() - time.Now().UnixNano(); early > 0 {
				t.Errorf("sent %v before the hold's end", time.Duration(early))
			}
			return answers.RoundTrip(req)
		}), MaxRetries: 1}
		kit.Prime(t, transport)
		var group sync.WaitGroup
		group.Go(func() {
			require.NoError(t, kit.Fetch(t.Context(), transport, kit.URL+"/other"))
		})
		group.Go(func() {
			time.Sleep(time.Millisecond)
			kit.Prime(t, transport)
		})
		group.Wait()
	})
}

// While no limit is known, no request is refused. Once a limit is known, requests that cannot start in time are
// refused, even behind many others.
func TestWaitersAreRefusedOnceAPlanIsKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := &headway.Transport{MaxWait: -1, Base: kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
			time.Sleep(10 * time.Millisecond)
			return kit.Respond(req, 200, "RateLimit", `"a";r=59;t=3600`, "RateLimit-Policy", `"a";q=60;w=3600`), nil
		})}
		patient, cancel := context.WithCancel(t.Context())
		defer cancel()
		var waiting, hasty sync.WaitGroup
		for i := range 40 {
			if i < 15 {
				waiting.Go(func() { _, _ = kit.Get(patient, transport, kit.URL) })
				continue
			}
			hasty.Go(func() {
				time.Sleep(time.Millisecond)
				ctx := kit.Within(t, 30*time.Second)
				_, err := kit.Get(ctx, transport, kit.URL)
				var refused *headway.LimitError
				require.ErrorAs(t, err, &refused)
				require.True(t, refused.Timeout())
			})
		}
		started := time.Now()
		hasty.Wait()
		require.Less(t, time.Since(started), time.Second)
		cancel()
		waiting.Wait()
	})
}

// The Read of a slowBody blocks until Close.
type slowBody struct{ closed chan struct{} }

func (b *slowBody) Read([]byte) (int, error) {
	<-b.closed
	return 0, errors.New("closed")
}

func (b *slowBody) Close() error {
	close(b.closed)
	return nil
}

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
