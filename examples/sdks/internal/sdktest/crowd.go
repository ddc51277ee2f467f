package sdktest

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require" //nolint:depguard // only tests import this package

	"github.com/headway-go/headway/ratelimittest"
)

// A Crowd makes calls, some at once.
type Crowd struct {
	Calls, Workers int
}

// RequireServed makes the calls, and requires that all succeed. calls has counted them above headway: the SDK
// repeats none. Each API has allowed every call once, and refused none.
func (c Crowd) RequireServed(t *testing.T, calls *Counter, call func(context.Context) error, apis ...*ratelimittest.Handler) {
	t.Helper()
	turns, errs := make(chan struct{}, c.Calls), make(chan error, c.Calls)
	for range c.Calls {
		turns <- struct{}{}
	}
	close(turns)
	var workers sync.WaitGroup
	for range c.Workers {
		workers.Go(func() {
			for range turns {
				errs <- call(t.Context())
			}
		})
	}
	workers.Wait()
	close(errs)
	for err := range errs {
		require.NoError(t, err)
	}
	require.Equal(t, c.Calls, calls.Calls())
	for _, api := range apis {
		require.Len(t, api.Arrivals().Allowed(), c.Calls)
		require.Empty(t, api.Arrivals().Refused())
	}
}

// RequireResent makes a call that the server refuses once. Only headway sends the request again, with its
// body.
func RequireResent(t *testing.T, calls *Counter, server *Journal, call func() error) {
	t.Helper()
	require.NoError(t, call())
	require.Equal(t, 1, calls.Calls())
	require.Len(t, server.Bodies, 2)
	require.Equal(t, server.Bodies[0], server.Bodies[1])
}
