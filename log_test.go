package headway

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/validate"
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
				require.Equal(t, test.want, messages(out))
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

// messages are those of the records in out, in order.
func messages(out *bytes.Buffer) []string {
	var all []string
	for line := range strings.Lines(out.String()) {
		_, rest, _ := strings.Cut(line, `msg="`)
		message, _, _ := strings.Cut(rest, `"`)
		all = append(all, message)
	}
	return all
}

// What is wrong with each response is told an operator once, and of each partition; what
// caches and servers without limits do is no news.
func TestProblemsAreReportedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		logger, out := newLogger(slog.LevelInfo)
		transport := &Transport{Logger: logger, Base: baseFunc(func(req *http.Request) (*http.Response, error) {
			if req.URL.Path == "/cached" {
				return respond(req, 200, "RateLimit", `"a";r=5;t=5`, "Age", "10"), nil
			}
			return respond(req, 200, "RateLimit", `"a`, "X-RateLimit-Remaining", "?"), nil
		})}
		for range 5 {
			for _, url := range []string{"https://a.example.com/", "https://b.example.com/", "https://b.example.com/cached"} {
				resp, err := get(t.Context(), transport, url)
				require.NoError(t, err)
				require.NoError(t, resp.Body.Close())
			}
		}
		require.Len(t, messages(out), 4, out.String())
		for _, partition := range []string{"https://a.example.com", "https://b.example.com"} {
			require.Equal(t, 2, strings.Count(out.String(), partition))
		}
	})
}

// A server cannot flood the log with fields that are wrong in ever new ways.
func TestReportedProblemsAreBounded(t *testing.T) {
	p := &partition{}
	for i := range 10 * maxReported {
		problem := &validate.Problem{Field: fmt.Sprint("field ", i)}
		require.Equal(t, i < maxReported, p.reports(problem))
		require.False(t, p.reports(problem))
	}
}

// Of many requests that are refused at once the hold is told of once.
func TestAHoldIsReportedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		logger, out := newLogger(slog.LevelInfo)
		start := time.Now()
		var n, refused atomic.Int64
		transport := &Transport{Logger: logger, MaxRetries: -1, Base: baseFunc(func(req *http.Request) (*http.Response, error) {
			if n.Add(1) == 1 || time.Since(start) > 5*time.Second {
				return respond(req, 200, "RateLimit", `"a";r=1000;t=60`, "RateLimit-Policy", `"a";q=1000;w=60`), nil
			}
			time.Sleep(time.Second + time.Duration(n.Load())*time.Millisecond)
			refused.Add(1)
			return respond(req, 429, "Retry-After", "10"), nil
		})}
		prime(t, transport)
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() { prime(t, transport) })
		}
		all.Wait()
		require.Greater(t, refused.Load(), int64(10))
		require.Equal(t, []string{"partition is held"}, messages(out), out.String())
	})
}
