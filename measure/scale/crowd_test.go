package scale

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// A crowd is a number of one user's requests that join one after the other. Half of them are cancelled.
type crowd struct {
	errands []errand
	senders []*sender
	cancels []context.CancelFunc
	errs    []error
	all     sync.WaitGroup
}

func newCrowd(t *testing.T, api *service, n int) *crowd {
	t.Helper()
	c := &crowd{
		errands: make([]errand, n), senders: make([]*sender, n),
		cancels: make([]context.CancelFunc, n), errs: make([]error, n),
	}
	for i := range c.senders {
		var ctx context.Context
		ctx, c.cancels[i] = context.WithCancel(t.Context())
		var err error
		c.senders[i], err = api.newSender(ctx, "0", c.errands[i:i+1])
		require.NoError(t, err)
	}
	return c
}

// join makes each call once the calls before it wait.
func (c *crowd) join(transport http.RoundTripper) {
	for i, s := range c.senders {
		c.all.Go(func() { c.errs[i] = s.send(transport) })
		synctest.Wait()
	}
}

// cancel cancels every other call.
func (c *crowd) cancel() {
	for i := 1; i < len(c.cancels); i += 2 {
		c.cancels[i]()
	}
	synctest.Wait()
}

// check checks that the remaining calls were served once and in order, and that cancelled ones were never sent. It returns
// the refused requests per 1000 served.
func (c *crowd) check(t *testing.T) float64 {
	t.Helper()
	var served []errand
	for i, err := range c.errs {
		if i%2 == 0 {
			require.NoError(t, err)
			served = append(served, c.errands[i])
			continue
		}
		if !errors.Is(err, context.Canceled) || c.errands[i].served+c.errands[i].refused > 0 {
			require.Failf(t, "not cancelled", "request %d: %v, sent %d times", i, err, c.errands[i].served)
		}
	}
	for i := range served[1:] {
		if served[i].sent > served[i+1].sent {
			require.Failf(t, "not in order", "request %d was sent before request %d", 2*i+2, 2*i)
		}
	}
	return refusedPerMille(t, served)
}
