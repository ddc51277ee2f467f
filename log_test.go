package headway

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// newLogger writes records of that level and above to a buffer, without times.
func newLogger(level slog.Level) (*slog.Logger, *bytes.Buffer) {
	var out bytes.Buffer
	return slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{
		Level: level,
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	})), &out
}

// heldThenRefused makes a request that sets a hold, one that waits, and one
// that may not wait.
func heldThenRefused(t *testing.T, transport *Transport) {
	t.Helper()
	transport.Base = inTurn(status(429, "Retry-After", "10", "X-RateLimit-Remaining", "nonsense"), status(200))
	req := with(t, "https://me:hunter2@api.example.com/private?token=hunter2", "Authorization", "Bearer hunter2", "X-Api-Key", "hunter2")
	resp, err := transport.RoundTrip(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	resp, err = transport.RoundTrip(req.WithContext(ctx))
	if transport.Shadow {
		require.NoError(t, err)
	} else {
		require.ErrorIs(t, err, context.DeadlineExceeded)
	}
	if err == nil {
		require.NoError(t, resp.Body.Close())
	}
	resp, err = transport.RoundTrip(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
}

func TestLogger(t *testing.T) {
	for _, test := range []struct {
		name   string
		level  slog.Level
		shadow bool
		want   []string
	}{
		{"errors only", slog.LevelError, false, nil},
		{"warnings", slog.LevelWarn, false, []string{"request is refused"}},
		{"info", slog.LevelInfo, false, []string{"header field is ignored or clamped", "partition is held", "request is refused"}},
		{"debug", slog.LevelDebug, false, []string{
			"request is sent", "header field is ignored or clamped", "server asks to wait", "request was throttled", "partition is held",
			"request is refused", "request waits", "request is sent",
		}},
		{"shadow, warnings", slog.LevelWarn, true, []string{"request would be refused"}},
		{"shadow, info", slog.LevelInfo, true, []string{"header field is ignored or clamped", "partition would be held", "request would be refused"}},
		{"shadow, debug", slog.LevelDebug, true, []string{
			"request is sent", "header field is ignored or clamped", "server asks to wait", "request was throttled", "partition would be held",
			"request would be refused", "request is sent", "request would wait", "request is sent",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				logger, out := newLogger(test.level)
				heldThenRefused(t, &Transport{Logger: logger, MaxRetries: -1, Shadow: test.shadow})
				var got []string
				for line := range strings.Lines(out.String()) {
					_, rest, _ := strings.Cut(line, `msg="`)
					message, _, _ := strings.Cut(rest, `"`)
					got = append(got, message)
				}
				require.Equal(t, test.want, got)
				require.NotContains(t, out.String(), "hunter2")
				require.NotContains(t, out.String(), "nonsense")
				require.NotContains(t, out.String(), "private")
			})
		})
	}
}

// A handler may use the Transport: it is called without a lock held.
func TestLoggerMayUseTheTransport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := &Transport{MaxRetries: -1}
		records := 0
		transport.Logger = slog.New(handlerFunc(func(slog.Record) {
			transport.State()
			records++
		}))
		heldThenRefused(t, transport)
		require.Equal(t, 8, records)
	})
}

// A handlerFunc is called with each record.
type handlerFunc func(slog.Record)

func (f handlerFunc) Enabled(context.Context, slog.Level) bool { return true }
func (f handlerFunc) WithAttrs([]slog.Attr) slog.Handler       { return f }
func (f handlerFunc) WithGroup(string) slog.Handler            { return f }

func (f handlerFunc) Handle(_ context.Context, record slog.Record) error {
	f(record)
	return nil
}

func TestSilenceIsTheDefault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		heldThenRefused(t, &Transport{MaxRetries: -1})
	})
	require.False(t, (&Transport{}).logs(t.Context(), slog.LevelError))
}

func TestRetriesAreLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		logger, out := newLogger(slog.LevelDebug)
		transport := &Transport{Logger: logger, Base: inTurn(status(http.StatusTooManyRequests, "Retry-After", "2"), status(200))}
		prime(t, transport)
		require.Contains(t, out.String(), "resend=true")
		require.Contains(t, out.String(), "resends=1")
	})
}
