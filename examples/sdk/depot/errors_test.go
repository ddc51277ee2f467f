package depot_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/examples/sdk/depot"
	"github.com/headway-go/headway/ratelimittest"
)

// An error between the Client and the API fails the call that it happens to. The SDK sends a call again only
// after a refusal because of a limit. In other cases the item may have been created already, and would be
// created twice.
func TestServerThatBreaks(t *testing.T) {
	for _, row := range []struct {
		name           string
		fault          ratelimittest.Fault
		failed, stored int
		isError        func(error) bool
	}{
		{"each tenth connection is closed", ratelimittest.Fault{Every: 10, Drop: true}, 30, 270, is(io.EOF)},
		{"each hundredth call meets a maintenance", ratelimittest.Fault{Every: 100, Status: http.StatusServiceUnavailable, RetryAfter: 5 * time.Second}, 3, 297, isUnavailable},
	} {
		t.Run(row.name, func(t *testing.T) {
			f, items := play(t, ratelimittest.Scenario{Limiter: hundredPerMinute(), Load: crowd(300), Front: row.fault.Wrap})
			require.Equal(t, 300-row.failed, f.Served)
			require.Len(t, items, row.stored)
			for _, o := range f.Outcomes[0] { // of the only client
				require.True(t, o.Err == nil || row.isError(o.Err), "%v", o.Err)
			}
		})
	}
}

func is(target error) func(error) bool {
	return func(err error) bool { return errors.Is(err, target) }
}

func isUnavailable(err error) bool {
	e, ok := errors.AsType[*depot.Error](err)
	return ok && e.Status == http.StatusServiceUnavailable
}

// A call that cannot be sent before its deadline is refused at once, without a request to the server. The
// error says when it could be sent.
func TestDeadlineThatCannotBeMet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &ratelimittest.Handler{Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(1, time.Hour)}, Dialect: ratelimittest.Draft10}
		h.Next = newAPI(0)
		client := depot.New("token", depot.WithHTTPClient(&http.Client{Transport: &ratelimittest.Transport{Handler: h}}))
		require.NoError(t, create(t.Context(), client)) // uses the hour's quota

		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		begun := time.Now()
		err := create(ctx, client)
		limit, ok := errors.AsType[*headway.LimitError](err)
		require.True(t, ok, "%v", err)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.InDelta(t, 3600, limit.Wait.Seconds(), 10)
		require.Zero(t, time.Since(begun), "at once")
		require.Len(t, h.Arrivals(), 1)
	})
}
