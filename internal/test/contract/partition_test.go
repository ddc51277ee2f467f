package contract

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
)

// setsToken is a layer that sets the credentials of the user in the request's context.
type setsToken struct{ base http.RoundTripper }

type userKey struct{}

func (l setsToken) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Set("Authorization", "Bearer "+userOf(req))
	return l.base.RoundTrip(req)
}

func userOf(req *http.Request) string {
	user, _ := req.Context().Value(userKey{}).(string)
	return user
}

// Two users of one Transport do not wait for each other if it sees their credentials, or is told who they are.
func TestUsersAreKeptApart(t *testing.T) {
	for _, row := range []struct {
		name     string
		stack    func(base http.RoundTripper) http.RoundTripper
		bobWaits bool
	}{
		{"credentials above", func(base http.RoundTripper) http.RoundTripper {
			return setsToken{&headway.Transport{Base: base}}
		}, false},
		{"credentials below", func(base http.RoundTripper) http.RoundTripper {
			return &headway.Transport{Base: setsToken{base}}
		}, true},
		{"credentials below, and Partition", func(base http.RoundTripper) http.RoundTripper {
			return &headway.Transport{Base: setsToken{base}, Partition: userOf}
		}, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := row.stack(kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
					if req.Header.Get("Authorization") == "Bearer alice" {
						return kit.Respond(req, 200, "X-RateLimit-Limit", "10", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "60"), nil
					}
					return kit.Respond(req, 200), nil
				}))
				start := time.Now()
				for _, user := range []string{"alice", "bob"} {
					require.NoError(t, kit.Fetch(context.WithValue(t.Context(), userKey{}, user), client, kit.URL))
				}
				require.Equal(t, row.bobWaits, time.Since(start) > 30*time.Second)
			})
		})
	}
}

func TestEmptyPartitionGoesStraightToBase(t *testing.T) {
	base := kit.InTurn(kit.Status(429, "Retry-After", "60"))
	transport := &headway.Transport{Base: base, Partition: func(*http.Request) string { return "" }}
	for range 3 { // neither held nor resent
		resp, err := kit.Get(t.Context(), transport, kit.URL)
		require.NoError(t, err)
		require.Equal(t, 429, resp.StatusCode)
		require.NoError(t, resp.Body.Close())
	}
	require.Equal(t, 3, base.Sent())
	require.Empty(t, transport.State())
}

// A partition is forgotten some minutes after its last request, but not while it knows an open window.
func TestIdlePartitionsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := &headway.Transport{Base: kit.InTurn(
			kit.Status(200),
			kit.Status(200, "RateLimit", `"a";r=50;t=7200`, "RateLimit-Policy", `"a";q=60;w=7200`),
		)}
		for _, url := range []string{"https://without.example.com/", "https://with.example.com/"} {
			require.NoError(t, kit.Fetch(t.Context(), transport, url))
		}
		require.Len(t, transport.State(), 2)
		time.Sleep(6 * time.Minute)
		states := transport.State()
		require.Len(t, states, 1)
		require.Equal(t, "https://with.example.com", states[0].Partition)
		time.Sleep(4 * time.Hour)
		require.Empty(t, transport.State())
	})
}

// A partition is not forgotten while a request is in flight, so its response still counts.
func TestPartitionOutlivesItsRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answer := make(chan struct{})
		transport := &headway.Transport{Base: kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
			<-answer
			return kit.UsedUp()(req), nil
		})}
		var poll sync.WaitGroup
		poll.Go(func() {
			_ = kit.Fetch(t.Context(), transport, kit.URL)
		})
		time.Sleep(time.Hour)
		require.Equal(t, 1, transport.State()[0].InFlight)
		close(answer)
		poll.Wait()
		require.Equal(t, "minute", transport.State()[0].Limits[0].Policy)
	})
}
