package sdks_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/examples/sdks/internal/sdktest"
	"github.com/headway-go/headway/ratelimittest"
)

// patience is MaxWait, or the caller's deadline, in situations in which headway refuses. It is less than the
// ten minutes that a request would have to wait.
const patience = 5 * time.Second

// A situation is a condition under which a user makes a call.
type situation struct {
	name    string
	failure bool // not a limit, so an SDK may retry
	isFinal bool // the server refuses for good

	// server makes the server. ok is the handler with which calls succeed.
	server func(ok http.Handler) http.Handler

	// usedUp says that an earlier call has used up the quota, and its response has reported that.
	usedUp bool

	maxWait  time.Duration   // headway's
	refusal  headway.Refusal // headway's
	deadline time.Duration   // of the call's context; 0: none
	reason   error           // why headway refuses; nil: it does not
}

// situations returns the table's columns.
func situations() []situation {
	tooMany := sdktest.JSON(http.StatusTooManyRequests, "{}", "Retry-After", "1", "X-Should-Retry", "true")
	noMoney := sdktest.JSON(http.StatusTooManyRequests, `{"error":{"message":"No credit","type":"insufficient_quota","code":"insufficient_quota"}}`)
	failed := sdktest.JSON(http.StatusInternalServerError, "{}")
	return []situation{
		{
			name:   "one 429",
			server: func(ok http.Handler) http.Handler { return sdktest.First(1, tooMany, ok) },
		},
		{
			name:   "nothing but 429",
			server: func(http.Handler) http.Handler { return tooMany },
		},
		{
			name: "refused for good", isFinal: true,
			server: func(http.Handler) http.Handler { return noMoney },
		},
		{
			name: "longer than `MaxWait`", server: exhausted, usedUp: true,
			maxWait: patience, reason: headway.ErrMaxWait,
		},
		{
			name: "the same, `RefuseWithResponse`", server: exhausted, usedUp: true,
			maxWait: patience, refusal: headway.RefuseWithResponse, reason: headway.ErrMaxWait,
		},
		{
			name: "beyond the deadline", server: exhausted, usedUp: true,
			deadline: patience, reason: context.DeadlineExceeded,
		},
		{
			name: "one 500", failure: true,
			server: func(ok http.Handler) http.Handler { return sdktest.First(1, failed, ok) },
		},
	}
}

// exhausted returns a server that allows one request in ten minutes.
func exhausted(ok http.Handler) http.Handler {
	h := &ratelimittest.Handler{Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(1, 10*time.Minute)}, Dialect: ratelimittest.Draft10}
	h.Next = ok
	return h
}

// An outcome is the result of one user call.
type outcome struct {
	calls  int      // of headway's RoundTrip
	bodies []string // of the requests that reached the server
	err    error
	took   time.Duration
	late   bool // it took longer than allowed
}

// String returns the outcome as a cell of the table.
func (o outcome) String() string {
	text := fmt.Sprintf("%d (%d)", o.calls, len(o.bodies))
	if o.err == nil {
		text += " ok"
	}
	if o.late {
		text += " late"
	}
	return text
}

// requireRecipe requires what a recipe promises: the SDK calls once, the server gets the same body again, and a refusal by
// headway comes at once. The SDK's user can tell it from one by the server.
func (o outcome) requireRecipe(t *testing.T, r row, s situation) {
	t.Helper()
	if s.failure {
		return // no limit
	}
	require.Equal(t, 1, o.calls, "calls with the recipe: %s", s.name)
	for _, body := range o.bodies {
		require.Equal(t, o.bodies[0], body, "sent again with its body: %s", s.name)
	}
	if s.isFinal {
		require.Len(t, o.bodies, 1)
		require.Less(t, o.took, time.Second, "nothing waits: %s", s.name)
		require.Error(t, o.err)
		return
	}
	if s.reason == nil {
		require.GreaterOrEqual(t, o.took, time.Second, "Retry-After: %s", s.name)
		return
	}
	require.Zero(t, o.took, "refused at once: %s", s.name)
	refusal, isError := errors.AsType[*headway.LimitError](o.err)
	if response := r.response; !isError && response != nil {
		refusal, isError = headway.Refused(response(t, o.err)) //nolint:bodyclose // the SDK has read it
	}
	if isError {
		require.ErrorIs(t, refusal, s.reason)
		require.Equal(t, 10*time.Minute, refusal.Wait.Round(time.Minute))
	}
	require.Equal(t, isError, s.refusal == headway.RefuseWithError || r.response != nil, "%s: %v", s.name, o.err)
}

// measure makes one user call in the situation.
func measure(t *testing.T, r row, s situation) outcome {
	t.Helper()
	var o outcome
	synctest.Test(t, func(t *testing.T) {
		server := &sdktest.Journal{Next: s.server(sdktest.JSON(http.StatusOK, r.answer))}
		network := &ratelimittest.Transport{Handler: server, Latency: 50 * time.Millisecond}
		transport := &headway.Transport{Base: network, MaxWait: s.maxWait, Refusal: s.refusal}
		if r.set != nil {
			r.set(transport)
		}
		calls := &sdktest.Counter{Base: transport}
		call := r.client(calls)
		ctx := t.Context()
		if s.usedUp {
			require.NoError(t, call(ctx))
			calls.Reset()
			server.Bodies = nil
		}
		if s.deadline > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, s.deadline)
			defer cancel()
		}
		begun := time.Now()
		err := call(ctx)
		o = outcome{calls: calls.Calls(), bodies: server.Bodies, err: err, took: time.Since(begun)}
		o.late = s.usedUp && o.took >= patience
	})
	return o
}
