package retries

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
)

func TestLimitError(t *testing.T) {
	at := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		name        string
		err         *headway.LimitError
		want        string
		wantTimeout bool
	}{
		{
			"deadline", &headway.LimitError{Partition: "https://api.example.com", Policy: "minute", RetryAt: at, Wait: 42500 * time.Millisecond, Err: context.DeadlineExceeded},
			`headway: request not sent: partition https://api.example.com: policy "minute": it would have to wait 42.5s: context deadline exceeded`, true,
		},
		{
			"MaxWait", &headway.LimitError{Partition: "https://api.example.com", RetryAt: at, Wait: 2 * time.Hour, Err: headway.ErrMaxWait},
			"headway: request not sent: partition https://api.example.com: it would have to wait 2h0m0s: wait is longer than MaxWait", false,
		},
		{
			"never", &headway.LimitError{Partition: "p", Err: headway.ErrMaxWait},
			"headway: request not sent: partition p: wait is longer than MaxWait", false,
		},
		{
			"hostile name", &headway.LimitError{Partition: "p", Policy: "a\r\n\x1b[2J", Err: headway.ErrMaxWait},
			`headway: request not sent: partition p: policy "a\r\n\x1b[2J": wait is longer than MaxWait`, false,
		},
		{"zero", &headway.LimitError{}, "headway: request not sent", false},
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
