package proxy

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
)

// Requests that are refused together make one hold, and one line.
func TestOneLineForAHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n atomic.Int64
		s, log := inMemory(t, served(func(w http.ResponseWriter, r *http.Request) {
			reporting(w, r)
			if i := n.Add(1); i > 3 { // each response makes the hold a little longer
				time.Sleep(time.Duration(i) * 100 * time.Millisecond)
				w.Header().Set("Content-Type", "application/problem+json")
				w.Header().Set("Retry-After", "60")
				w.WriteHeader(http.StatusTooManyRequests)
				_, _ = io.WriteString(w, `{"violated-policies": ["default"]}`)
			}
		}), Upstream{To: api, MaxRetries: -1})
		for range 3 {
			require.Equal(t, 200, get(t.Context(), s, "/").StatusCode)
		}
		for range 5 {
			go get(t.Context(), s, "/")
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		require.EqualValues(t, 8, n.Load())
		require.Len(t, log.lines("hold"), 1)
		require.Contains(t, log.String(), `"policies":["default"]`)
	})
}

// A store that is lost and found again is a line each.
func TestLinesOfAFleet(t *testing.T) {
	log, text := newLog()
	hook := events(log).Fleet
	hook(headway.FleetInfo{Err: errors.New("no route")})
	hook(headway.FleetInfo{})
	require.Contains(t, text.lines("fleet store is unreachable")[0], "no route")
	require.Len(t, text.lines("fleet store is reachable again"), 1)
}

// Nothing is known about when a request could go that waits for another one to end.
func TestRefusalWithoutATime(t *testing.T) {
	p := refusal(&headway.LimitError{Cause: headway.CausePlaces, Err: headway.ErrMaxWait})
	require.Zero(t, p.retryAfter)
	require.Contains(t, p.Detail, "It would wait, because of: places.")
}

// net/http quotes what it has received, which may be secret.
func TestWithoutQuotes(t *testing.T) {
	log, text := newLog()
	logger := slog.NewLogLogger(WithoutQuotes(log.Handler()), slog.LevelWarn)
	logger.Printf("Unsolicited response received on idle HTTP channel starting with %q; err=%v", "hunter2", nil)
	logger.Print("another line")
	require.Len(t, text.lines("Unsolicited response received on idle HTTP channel starting with"), 1)
	require.Len(t, text.lines("another line"), 1)
	require.NotContains(t, text.String(), "hunter2")
}
