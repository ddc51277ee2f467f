package refusals

import (
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
)

// Forget drops every kind of limit that a server may report by mistake.
func TestForget(t *testing.T) {
	for _, row := range []struct {
		name   string
		wrong  func(*http.Request) *http.Response
		before time.Duration // how long a request would wait
	}{
		{"nothing left for a month", closed(), 50 * time.Second},
		{"a hold of a month", kit.Status(429, "Retry-After", "2678400"), month},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				answers := kit.InTurn(row.wrong, open())
				transport := kit.Seeded(t, &headway.Transport{Base: answers, MaxWait: 30 * time.Second, MaxRetries: -1})
				kit.Prime(t, transport)
				requireRefused(t, transport, row.before)
				require.False(t, transport.Forget(kit.Origin+"/things"))
				require.False(t, transport.Forget(""))
				requireRefused(t, transport, row.before)

				require.True(t, transport.Forget(kit.Origin))
				require.Empty(t, transport.State()[0].Limits)
				require.Zero(t, transport.State()[0].HeldUntil)
				start := time.Now()
				for range 3 {
					kit.Prime(t, transport)
				}
				require.Zero(t, time.Since(start))
				require.Equal(t, 4, answers.Sent())
			})
		})
	}
}

// Forget takes the partition's name of LimitError, and affects that partition only.
func TestForgetByName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := &headway.Transport{Base: kit.InTurn(kit.Status(429, "Retry-After", "2678400")), MaxRetries: -1}
		for _, user := range []string{"ann", "bob"} {
			resp, err := transport.RoundTrip(kit.NewRequest(t, kit.URL, "Authorization", "Bearer "+user))
			require.NoError(t, err)
			require.NoError(t, resp.Body.Close())
		}
		_, err := transport.RoundTrip(kit.NewRequest(t, kit.URL, "Authorization", "Bearer ann"))
		var refused *headway.LimitError
		require.ErrorAs(t, err, &refused)
		require.True(t, transport.Forget(refused.Partition))
		held := 0
		for _, state := range transport.State() {
			require.Equal(t, state.Partition == refused.Partition, state.HeldUntil.IsZero())
			held++
		}
		require.Equal(t, 2, held)
		require.False(t, (&headway.Transport{}).Forget(kit.Origin))
	})
}

// After Forget, as many waiting requests go at once as to an unknown server, and then the others.
func TestForgetWhileRequestsWait(t *testing.T) {
	for name, wrong := range map[string]func(*http.Request) *http.Response{
		"limit": closed(),
		"hold":  kit.Status(429, "Retry-After", "2678400"),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				answers := kit.InTurn(wrong, open())
				transport := kit.Seeded(t, &headway.Transport{Base: answers, MaxWait: -1, MaxRetries: -1})
				kit.Prime(t, transport)
				var waiting sync.WaitGroup
				for range 20 {
					waiting.Go(func() { kit.Prime(t, transport) })
				}
				time.Sleep(time.Minute / 2)
				require.Equal(t, 20, transport.State()[0].Waiting)
				start := time.Now()
				require.True(t, transport.Forget(kit.Origin))
				waiting.Wait()
				require.Zero(t, time.Since(start))
				require.Equal(t, 21, answers.Sent())
				require.Zero(t, transport.State()[0].Waiting)
			})
		})
	}
}

// Responses to requests in flight may report the forgotten limit again. It is ignored, but a Retry-After counts.
func TestForgetWhileRequestsAreInFlight(t *testing.T) {
	for _, row := range []struct {
		name string
		late func(*http.Request) *http.Response
		held time.Duration
	}{
		{"the mistake again", closed(), 0},
		{"a refusal for the mistake", kit.Status(429, "RateLimit", `"a";r=0;t=2678400`), 0},
		{"a refusal for long", kit.Status(429, "Retry-After", "60"), time.Minute},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				over := make(chan struct{})
				answers := kit.InTurn(open(), open(), row.late, row.late, row.late, open())
				transport := &headway.Transport{MaxRetries: -1, Burst: 1, Base: kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
					if req.URL.RawQuery == "slow" {
						<-over
					}
					return answers.RoundTrip(req)
				})}
				kit.Prime(t, transport)
				kit.Prime(t, transport)
				var flight sync.WaitGroup
				for range 3 {
					flight.Go(func() {
						_ = kit.Fetch(t.Context(), transport, kit.URL+"?slow")
					})
				}
				synctest.Wait()
				require.Equal(t, 3, transport.State()[0].InFlight)
				require.True(t, transport.Forget(kit.Origin))
				require.Equal(t, 3, transport.State()[0].InFlight)
				close(over)
				flight.Wait()
				state := transport.State()[0]
				require.Zero(t, state.InFlight)
				require.Empty(t, state.Limits)
				start := time.Now()
				kit.Prime(t, transport)
				if row.held > 0 {
					kit.RequireHeld(t, row.held, time.Since(start))
				} else {
					require.LessOrEqual(t, time.Since(start), time.Second)
				}
			})
		})
	}
}
