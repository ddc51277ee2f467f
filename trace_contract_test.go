package headway

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/validate"
)

// A Trace without hooks is none.
func TestTraceWithoutHooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := &Transport{
			Trace:   &Trace{},
			Base:    inTurn(usedUp(), status(429, "Retry-After", "1", "RateLimit", "?"), status(200)),
			MaxWait: -1,
		}
		prime(t, transport)
		prime(t, transport)
		ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
		defer cancel()
		_, err := get(ctx, transport, testURL)
		require.Error(t, err)
		time.Sleep(time.Hour)
		require.Empty(t, transport.State())
	})
}

// What hooks are told holds no secret of the request, and no value of a field.
func TestTraceTellsNoSecrets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := &Transport{MaxRetries: -1}
		d := &diary{}
		transport.Trace = d.trace(transport)
		heldThenRefused(t, transport)
		all := fmt.Sprintf("%+v %+v %+v %+v %+v %+v", d.waits, d.sent, d.throttled, d.refused, d.readings, d.ignored)
		require.Contains(t, all, testPartition)
		for _, secret := range []string{"hunter2", "nonsense", "private"} {
			require.NotContains(t, all, secret)
		}
		require.Equal(t, validate.Malformed, d.ignored[0].Problem.Reason)
	})
}

// A hook that panics takes no place and no turn.
func TestPanicsOfHooks(t *testing.T) {
	for _, row := range []struct {
		name    string
		trace   Trace
		answers []func(*http.Request) *http.Response
	}{
		{"Sent", Trace{Sent: func(context.Context, SentInfo) { panic(broken) }}, answer(status(200))},
		{"Resent", Trace{Resent: func(context.Context, SentInfo) { panic(broken) }}, answer(status(429))},
		{"Waiting", Trace{Waiting: func(context.Context, WaitingInfo) { panic(broken) }}, answer(status(429))},
		{"Throttled", Trace{Throttled: func(context.Context, ThrottledInfo) { panic(broken) }}, answer(status(429))},
		{"Reading", Trace{Reading: func(context.Context, ReadingInfo) { panic(broken) }}, answer(usedUp())},
		{"Ignored", Trace{Ignored: func(context.Context, IgnoredInfo) { panic(broken) }}, answer(status(200, "RateLimit", "?"))},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				body := newTrackedBody("text")
				answers := inTurn(row.answers...)
				transport := &Transport{Trace: &row.trace, Base: baseFunc(func(req *http.Request) (*http.Response, error) {
					resp, err := answers.RoundTrip(req)
					if err == nil && answers.sent() == 1 {
						resp.Body = body
					}
					return resp, err
				})}
				require.PanicsWithValue(t, broken, func() { _, _ = get(t.Context(), transport, testURL) })
				requireAtRest(t, transport)
				require.Equal(t, min(answers.sent(), 1), body.closed)
			})
		})
	}
}

type blockedKey struct{}

// A hook that blocks keeps up its own request alone.
func TestABlockedHookKeepsNobodyElseUp(t *testing.T) {
	for _, hook := range []string{"Waiting", "Sent", "Reading"} {
		t.Run(hook, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release, trace := make(chan struct{}), &Trace{}
				block := func(ctx context.Context) {
					if ctx.Value(blockedKey{}) != nil {
						<-release
					}
				}
				switch hook {
				case "Waiting":
					trace.Waiting = func(ctx context.Context, _ WaitingInfo) { block(ctx) }
				case "Sent":
					trace.Sent = func(ctx context.Context, _ SentInfo) { block(ctx) }
				case "Reading":
					trace.Reading = func(ctx context.Context, _ ReadingInfo) { block(ctx) }
				}
				transport := &Transport{Base: inTurn(usedUp(), usedUp(), status(200)), Trace: trace}
				prime(t, transport)
				var all sync.WaitGroup
				all.Go(func() {
					resp, err := get(context.WithValue(t.Context(), blockedKey{}, true), transport, testURL)
					require.NoError(t, err)
					require.NoError(t, resp.Body.Close())
				})
				time.Sleep(2 * time.Minute)
				for range 3 {
					prime(t, transport)
				}
				close(release)
				all.Wait()
			})
		})
	}
}
