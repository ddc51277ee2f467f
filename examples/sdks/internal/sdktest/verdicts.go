package sdktest

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require" //nolint:depguard // only tests import this package

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/validate"
)

// Verdicts has what an API answers, as its documents say.
type Verdicts struct {
	Wait   http.Handler  // a refusal that waiting helps
	Hold   time.Duration // how long Wait asks to wait; 0: it does not say
	Never  http.Handler  // a refusal that waiting does not help
	Answer http.Handler
}

// Require makes calls over real HTTP, to a server on loopback that has the names of all hosts, also of those with a profile.
// It does not speak TLS: the client's URL is "http://" and the API's host. After Wait headway sends the request again, with
// its body. After Never it does not, nor does the SDK, and the next call is sent at once. Require returns the SDK's error.
func (v Verdicts) Require(t *testing.T, client func(transport http.RoundTripper) (call func(context.Context) error)) error {
	t.Helper()
	server, calls, told := v.serve(t, v.Wait)
	RequireResent(t, calls, server, func() error { return client(calls)(t.Context()) })
	require.Len(t, told.refused, 1)
	require.True(t, told.refused[0].Verdict.IsRefusal())
	require.GreaterOrEqual(t, told.refused[0].Hold, v.Hold)
	require.LessOrEqual(t, told.refused[0].Hold, v.Hold+time.Second)
	require.Len(t, told.resent, 1)
	require.GreaterOrEqual(t, told.resent[0].Waited, v.Hold)

	server, calls, told = v.serve(t, v.Never)
	call := client(calls)
	err := call(t.Context())
	require.Error(t, err)
	require.Equal(t, 1, calls.Calls())
	require.Len(t, server.Bodies, 1)
	require.Len(t, told.refused, 1)
	require.Equal(t, validate.VerdictNever, told.refused[0].Verdict)
	require.Zero(t, told.refused[0].Hold)
	require.NoError(t, call(t.Context()))
	return err
}

// told has what a headway.Transport has told.
type told struct {
	refused []headway.ThrottledInfo
	resent  []headway.SentInfo
}

// serve starts a server that refuses the first request. It returns its journal, a headway.Transport that sends all to it, and
// what that tells.
func (v Verdicts) serve(t *testing.T, refusal http.Handler) (*Journal, *Counter, *told) {
	t.Helper()
	journal, told := &Journal{Next: First(1, refusal, v.Answer)}, &told{}
	server := httptest.NewServer(journal)
	t.Cleanup(server.Close)
	network := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", server.Listener.Addr().String())
	}}
	t.Cleanup(network.CloseIdleConnections)
	return journal, &Counter{Base: &headway.Transport{Base: network, Trace: &headway.Trace{
		Throttled: func(_ context.Context, i headway.ThrottledInfo) { told.refused = append(told.refused, i) },
		Resent:    func(_ context.Context, i headway.SentInfo) { told.resent = append(told.resent, i) },
	}}}, told
}
