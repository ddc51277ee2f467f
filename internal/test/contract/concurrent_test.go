package contract

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/validate"
)

// A long-polling request must not delay other requests, not even the first one of a fresh
// client.
func TestLongPollDelaysNoOneForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := &headway.Transport{Base: kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
			if strings.HasSuffix(req.URL.Path, "/poll") {
				select {
				case <-time.After(time.Hour):
				case <-req.Context().Done():
					return nil, req.Context().Err()
				}
			}
			return kit.Respond(req, 200), nil
		})}
		ctx, stopPolls := context.WithCancel(t.Context())
		var polls sync.WaitGroup
		for range 3 {
			polls.Go(func() { _, _ = kit.Get(ctx, transport, kit.URL+"/poll") })
		}
		synctest.Wait()
		start := time.Now()
		kit.Prime(t, transport)
		require.Equal(t, 750*time.Millisecond, time.Since(start), "one more goes every quarter of a second")
		stopPolls()
		polls.Wait()
	})
}

// A Base may fetch a token through the same Transport while a request that needs the token
// is in flight.
func TestTokenRefreshThroughTheSameTransport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := &headway.Transport{}
		transport.Base = kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
			if req.URL.Path != "/token" {
				resp, err := kit.Get(req.Context(), transport, "https://api.example.com/token")
				if err != nil {
					return nil, err
				}
				_ = resp.Body.Close()
			}
			return kit.Respond(req, 200), nil
		})
		var clients sync.WaitGroup
		for range 10 {
			clients.Go(func() {
				if err := kit.Fetch(t.Context(), transport, kit.URL); err != nil {
					t.Error(err)
				}
			})
		}
		clients.Wait()
	})
}

// Two Transports share profiles and a Limits function, and all their methods are used while requests wait and are in flight. No
// request is lost, and none waits for ever.
func TestConcurrentUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		profiles := []validate.Profile{{Host: "example.com", Signs: []validate.Sign{{Statuses: []int{409}, Text: "quota"}, {Statuses: []int{409}, Text: "slow down"}}}}
		var transports [2]*headway.Transport
		for i := range transports {
			transports[i] = &headway.Transport{
				SnapshotKey: kit.Secret(), Profiles: profiles, Limits: readsAll,
				Base: kit.InTurn(
					kit.Status(200, "RateLimit", `"a";r=40;t=1`, "RateLimit-Policy", `"a";q=50;w=1`),
					kit.Status(429, "Retry-After", "1"),
					func(req *http.Request) *http.Response {
						resp := kit.Respond(req, 409)
						resp.Body = kit.NewTrackedBody("slow down")
						return resp
					},
					kit.Status(503, "Retry-After", "2"),
					kit.Status(200, "RateLimit", `"a";r=0;t=2678400`, "RateLimit-Policy", `"a";q=50;w=2678400`),
					kit.Status(200, "RateLimit", `"a";r=45;t=1`, "RateLimit-Policy", `"a";q=50;w=1`),
				),
			}
		}
		var clients sync.WaitGroup
		for i := range 20 {
			transport := transports[i%2]
			clients.Go(func() {
				for j := range 20 {
					ctx, cancel := context.WithTimeout(t.Context(), time.Duration(j)*time.Second)
					_ = kit.Fetch(ctx, transport, fmt.Sprintf("https://host%d.example.com/", i%3))
					cancel()
					transport.State()
					transport.CloseIdleConnections()
					transport.Forget(fmt.Sprintf("https://host%d.example.com", j%4))
					snapshot, err := transport.Snapshot()
					if err = errors.Join(err, transport.Restore(snapshot)); err != nil {
						t.Error(err)
					}
				}
			})
		}
		clients.Wait()
		for _, transport := range transports {
			for _, state := range transport.State() {
				require.Zero(t, state.Waiting, state.Partition)
				require.Zero(t, state.InFlight, state.Partition)
			}
		}
	})
}

// readsAll is a Limits function that reads the whole body.
func readsAll(resp *http.Response) validate.Reading {
	_, _ = io.ReadAll(resp.Body)
	return validate.Reading{Limits: []limits.Reported{{Policy: "minute", Quota: 6000, Remaining: 5900, Window: time.Minute}}}
}

type crowdRequest struct{}

// Each request of a crowd that waits in one partition is sent once and in order. Requests that are cancelled during the wait are
// not sent. Nothing is left behind.
func TestCrowdOnOnePartition(t *testing.T) {
	const size = 4000 // the race detector has a limit on goroutines
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var sent, want []int
		answers := kit.InTurn(kit.UsedUp(), kit.Status(200, "RateLimit", `"minute";r=500;t=1`, "RateLimit-Policy", `"minute";q=1000;w=1`))
		transport := &headway.Transport{MaxWait: -1, Burst: -1, Jitter: -1, Base: kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
			if i, ok := req.Context().Value(crowdRequest{}).(int); ok {
				mu.Lock()
				sent = append(sent, i)
				mu.Unlock()
			}
			return answers.RoundTrip(req)
		})}
		kit.Prime(t, transport)
		var crowd sync.WaitGroup
		var cancels []context.CancelFunc
		for i := range size {
			ctx, cancel := context.WithCancel(context.WithValue(t.Context(), crowdRequest{}, i))
			defer cancel()
			cancels = append(cancels, cancel)
			crowd.Go(func() {
				_ = kit.Fetch(ctx, transport, kit.URL)
			})
			synctest.Wait() // so that they join in order
		}
		require.Equal(t, size, transport.State()[0].Waiting)
		for i, cancel := range cancels {
			if i%2 == 1 {
				cancel()
			} else {
				want = append(want, i)
			}
		}
		synctest.Wait()
		require.Equal(t, size/2, transport.State()[0].Waiting)
		crowd.Wait()
		require.True(t, slices.Equal(want, sent), "sent %d of %d, or not in order", len(sent), len(want))
		require.Zero(t, transport.State()[0].Waiting)
		require.Zero(t, transport.State()[0].InFlight)
	})
}
