// Package fleettest has what the tests of fleets share: a service, its users, and faults of stores that they go through.
package fleettest

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/share"
	"github.com/headway-go/headway/ratelimittest"
)

// The key of fleets, and the name of a partition.
const (
	Key  = "0123456789abcdef"
	Name = "0123456789abcdef0123456789abcdef"
)

// A Store is one that processes share.
type Store interface {
	Fleet(t *testing.T) share.Fleet // like that of another process
}

// NewService returns a server with one quota per minute for all clients.
func NewService(quota int64) *ratelimittest.Handler {
	l := &ratelimittest.FixedWindow{Policy: ratelimittest.Per(quota, time.Minute)}
	l.Aligned = true
	return ForAll(l)
}

// ForAll returns a server that counts all clients as one.
func ForAll(l ratelimittest.Limiter) *ratelimittest.Handler {
	return &ratelimittest.Handler{Limiter: l, Dialect: ratelimittest.Draft10, Client: func(*http.Request) string { return "" }}
}

// Get makes a request, and returns its status or error.
func Get(ctx context.Context, rt http.RoundTripper) (status int, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://api.test/?secret=query", http.NoBody)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Authorization", "Bearer credential")
	resp, err := rt.RoundTrip(req)
	if err != nil {
		return 0, err
	}
	return resp.StatusCode, resp.Body.Close()
}

// Members returns how many members share the only partition of t, and whether all its limits have agreed
// shares.
func Members(t *headway.Transport) (n int, agreed bool) {
	for _, s := range t.State() {
		agreed = len(s.Limits) > 0
		for i := range s.Limits {
			agreed = agreed && s.Limits[i].Agreed
		}
		n = s.Members
	}
	return n, agreed
}

// Client returns a Transport of a fleet.
func Client(f share.Fleet, service http.Handler) *headway.Transport {
	return &headway.Transport{Base: &ratelimittest.Transport{Handler: service}, Fleet: f}
}

// Use makes a request a second through each Transport.
func Use(t *testing.T, seconds int, all ...*headway.Transport) {
	t.Helper()
	for range seconds {
		for _, tr := range all {
			status, err := Get(t.Context(), tr)
			require.NoError(t, err)
			require.Equal(t, http.StatusOK, status)
		}
		time.Sleep(time.Second)
	}
}

// RequireMembers requires that n members share the partition of each Transport; 0: no store says how many.
func RequireMembers(t *testing.T, n int, all ...*headway.Transport) {
	t.Helper()
	for _, tr := range all {
		known, agreed := Members(tr)
		require.Equal(t, n, known)
		require.Equal(t, n > 0, agreed)
	}
}
