package proxy

import (
	"log/slog"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/validate"
)

// Nothing is known about when a request could go that waits for another one to end.
func TestRefusalWithoutATime(t *testing.T) {
	p := refusal(&headway.LimitError{Cause: headway.CausePlaces, Err: headway.ErrMaxWait})
	require.Zero(t, p.retryAfter)
	require.Contains(t, p.Detail, "It would wait, because of: places.")
}

// What no waiting mends holds nothing, so the operator sees it in a line of its own.
func TestRefusalForGood(t *testing.T) {
	log, text := newLog()
	hooks := events(log, newCounters())
	info := headway.ThrottledInfo{Partition: "https://api.test", Status: 429, Verdict: validate.VerdictNever, Sign: "error.code", IsNews: true}
	hooks.Throttled(t.Context(), info)
	info.IsNews = false
	hooks.Throttled(t.Context(), info)
	require.Len(t, text.lines("refusal for good"), 1)
	require.Contains(t, text.String(), "error.code")
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
