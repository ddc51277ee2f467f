package proxy

import (
	"log/slog"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
)

// Nothing is known about when a request could go that waits for another one to end.
func TestRefusalWithoutATime(t *testing.T) {
	p := refusal(&headway.LimitError{Cause: headway.CausePlaces, Err: headway.ErrMaxWait})
	require.Zero(t, p.retryAfter)
	require.Contains(t, p.Detail, "It would wait, because of: places.")
}

// net/http quotes what it has received, which may be secret, as often as a server sends what nobody has asked for.
func TestWithoutQuotes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, text := newLog()
		logger := slog.NewLogLogger(WithoutQuotes(log.Handler()), slog.LevelWarn)
		for range 20 {
			logger.Printf("Unsolicited response received on idle HTTP channel starting with %q; err=%v", "hunter2", nil)
		}
		logger.Print("another line")
		require.Len(t, text.lines("Unsolicited response received on idle HTTP channel starting with"), 1)
		require.Len(t, text.lines("another line"), 1)
		require.NotContains(t, text.String(), "hunter2")
	})
}
