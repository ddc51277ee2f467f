package ratelimittest_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

// When the client leaves during a stream, the handler's context ends and its writes fail.
func TestTransportEndsTheHandlersContextWhenItsClientLeaves(t *testing.T) {
	cause := errors.New("no longer wanted")
	tests := []struct {
		name  string
		leave func(cancel func(), resp *http.Response)
		err   error // the error of further reads
	}{
		{"the context ends", func(cancel func(), _ *http.Response) { cancel() }, cause},
		{"the body is closed", func(_ func(), resp *http.Response) { _ = resp.Body.Close() }, http.ErrBodyReadAfterClose},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				var seen time.Duration
				var failed error
				tr := away(func(w http.ResponseWriter, r *http.Request) {
					flush(w)
					<-r.Context().Done()
					seen = time.Since(begun)
					time.Sleep(time.Second)
					_, failed = io.WriteString(w, "too late")
				})
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				resp := open(t, tr, ctx)
				time.AfterFunc(10*time.Second, func() { tt.leave(func() { cancel(cause) }, resp) })
				for range 2 {
					_, err := resp.Body.Read(make([]byte, 1))
					require.ErrorIs(t, err, tt.err)
					require.Equal(t, 12*time.Second, time.Since(begun))
				}
				time.Sleep(2 * time.Second)
				require.NoError(t, resp.Body.Close())
				synctest.Wait()
				require.Equal(t, 12*time.Second, seen)
				require.ErrorIs(t, failed, io.ErrClosedPipe)
			})
		})
	}
}

func TestTransportEndsTheHandlersContextWhenItReturns(t *testing.T) {
	var ctx context.Context
	var early error
	tr := &ratelimittest.Transport{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		ctx = r.Context()
		early = ctx.Err()
	})}
	_, err := roundTrip(t, tr, newRequest(t, "GET", "http://api.test/", nil))
	require.NoError(t, err)
	require.NoError(t, early)
	require.ErrorIs(t, ctx.Err(), context.Canceled)
}

// A client that has given up a response cannot read it, even if it has arrived.
func TestTransportBodyFailsAfterTheClientLeft(t *testing.T) {
	cause := errors.New("no longer wanted")
	tr := &ratelimittest.Transport{Handler: hello}
	ctx, cancel := context.WithCancelCause(t.Context())
	given, closed := open(t, tr, ctx), open(t, tr, ctx)
	require.NoError(t, closed.Body.Close())
	_, err := closed.Body.Read(make([]byte, 1))
	require.ErrorIs(t, err, http.ErrBodyReadAfterClose)
	cancel(cause)
	n, err := given.Body.Read(make([]byte, 1))
	require.Zero(t, n)
	require.ErrorIs(t, err, cause)
	require.NoError(t, given.Body.Close())
}

// After a response to HEAD, writes of the handler still succeed, though the client expects no body.
func TestTransportDropsTheBodyOfHEAD(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		failed := errors.New("not called")
		tr := away(func(w http.ResponseWriter, _ *http.Request) {
			flush(w)
			time.Sleep(10 * time.Second)
			_, failed = io.WriteString(w, "a")
		})
		resp, err := roundTrip(t, tr, newRequest(t, "HEAD", "http://api.test/", nil))
		require.NoError(t, err)
		require.Empty(t, resp.body)
		require.Equal(t, 2*time.Second, time.Since(begun))
		time.Sleep(time.Minute)
		synctest.Wait()
		require.NoError(t, failed)
	})
}
