package refusals

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
)

func TestLimitError(t *testing.T) {
	const rest = ", make fewer requests at once, or set RefuseWithResponse"
	at := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		name        string
		err         *headway.LimitError
		want        string
		wantTimeout bool
	}{
		{
			"deadline", &headway.LimitError{Partition: "https://api.example.com", Policy: "minute", Cause: headway.CauseQuota, RetryAt: at, Wait: 42500 * time.Millisecond, Err: context.DeadlineExceeded},
			`headway: request not sent: partition https://api.example.com: it would wait 42.5s (until 2026-11-01T12:00:00Z) for the quota of policy "minute", longer than its deadline allows; allow a longer timeout` + rest, true,
		},
		{
			"MaxWait", &headway.LimitError{Partition: "https://api.example.com", Cause: headway.CauseHold, RetryAt: at, Wait: 2 * time.Hour, Err: headway.ErrMaxWait},
			"headway: request not sent: partition https://api.example.com: it would wait 2h0m0s (until 2026-11-01T12:00:00Z) for the end of the hold, longer than MaxWait; allow a longer MaxWait" + rest, false,
		},
		{
			"never", &headway.LimitError{Partition: "p", Cause: headway.CauseCeiling, Err: headway.ErrMaxWait},
			"headway: request not sent: partition p: it would wait for the Ceiling, longer than MaxWait, or forever; raise the Ceiling, allow a longer MaxWait" + rest, false,
		},
		{
			"places", &headway.LimitError{Partition: "p", Cause: headway.CausePlaces, Err: headway.ErrMaxWait},
			"headway: request not sent: partition p: it would wait for a request in flight to end, longer than MaxWait, or forever; close the bodies of responses, allow a longer MaxWait" + rest, false,
		},
		{
			"queue", &headway.LimitError{Partition: "p", Cause: headway.CauseQueue, RetryAt: at, Wait: time.Minute, Err: headway.ErrMaxWait},
			"headway: request not sent: partition p: it would wait 1m0s (until 2026-11-01T12:00:00Z) for requests ahead of it, longer than MaxWait; allow a longer MaxWait" + rest, false,
		},
		{
			"hostile name", &headway.LimitError{Partition: "p", Policy: "a\r\n\x1b[2J", Err: headway.ErrMaxWait},
			`headway: request not sent: partition p: it would wait for a limit of policy "a\r\n\x1b[2J", longer than MaxWait, or forever; allow a longer MaxWait` + rest, false,
		},
		{
			"zero", &headway.LimitError{},
			"headway: request not sent: it would wait longer than MaxWait, or forever; allow a longer MaxWait" + rest, false,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			require.EqualError(t, test.err, test.want)
			require.Equal(t, test.wantTimeout, test.err.Timeout())
			wrapped := fmt.Errorf("calling: %w", &url.Error{Op: "Get", URL: "u", Err: test.err})
			var limit *headway.LimitError
			require.ErrorAs(t, wrapped, &limit)
			if test.err.Err != nil {
				require.ErrorIs(t, wrapped, test.err.Err)
			}
			require.Equal(t, test.wantTimeout, errors.Is(wrapped, context.DeadlineExceeded))
		})
	}
}

// A LimitError names what the request would wait for.
func TestLimitErrorHasACause(t *testing.T) {
	for _, test := range []struct {
		name      string
		transport *headway.Transport
		first     func(*http.Request) *http.Response // response to the request before
		want      headway.Cause
	}{
		{"hold", &headway.Transport{MaxRetries: -1}, kit.Status(429, "Retry-After", "60"), headway.CauseHold},
		{"quota", &headway.Transport{}, kit.UsedUp(), headway.CauseQuota},
		{"Ceiling", &headway.Transport{Ceiling: rate.NewLimiter(rate.Every(time.Minute), 1)}, kit.Status(200), headway.CauseCeiling},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				test.transport.Base, test.transport.MaxWait = kit.InTurn(test.first), time.Second
				kit.Prime(t, test.transport)
				_, err := kit.Get(t.Context(), test.transport, kit.URL)
				limit, ok := errors.AsType[*headway.LimitError](err)
				require.True(t, ok)
				require.Equal(t, test.want, limit.Cause)
			})
		})
	}
}
