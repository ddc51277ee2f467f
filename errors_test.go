package headway

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLimitError(t *testing.T) {
	at := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		name        string
		err         *LimitError
		want        string
		wantTimeout bool
	}{
		{
			"deadline", &LimitError{Partition: "https://api.example.com", Policy: "minute", RetryAt: at, Wait: 42500 * time.Millisecond, Err: context.DeadlineExceeded},
			`headway: request not sent: partition https://api.example.com: policy "minute": it would have to wait 42.5s: context deadline exceeded`, true,
		},
		{
			"MaxWait", &LimitError{Partition: "https://api.example.com", RetryAt: at, Wait: 2 * time.Hour, Err: ErrMaxWait},
			"headway: request not sent: partition https://api.example.com: it would have to wait 2h0m0s: wait is longer than MaxWait", false,
		},
		{
			"never", &LimitError{Partition: "p", Err: ErrMaxWait},
			"headway: request not sent: partition p: wait is longer than MaxWait", false,
		},
		{
			"hostile name", &LimitError{Partition: "p", Policy: "a\r\n\x1b[2J", Err: ErrMaxWait},
			`headway: request not sent: partition p: policy "a\r\n\x1b[2J": wait is longer than MaxWait`, false,
		},
		{"zero", &LimitError{}, "headway: request not sent", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			require.EqualError(t, test.err, test.want)
			require.Equal(t, test.wantTimeout, test.err.Timeout())
			wrapped := fmt.Errorf("calling: %w", &url.Error{Op: "Get", URL: "u", Err: test.err})
			var limit *LimitError
			require.ErrorAs(t, wrapped, &limit)
			if test.err.Err != nil {
				require.ErrorIs(t, wrapped, test.err.Err)
			}
			require.Equal(t, test.wantTimeout, errors.Is(wrapped, context.DeadlineExceeded))
		})
	}
}
