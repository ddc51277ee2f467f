package termheadway_test

import (
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/termheadway"
)

// play makes 13 requests at three minutes past two, to a server that allows 42 more until ten seconds past 14:05. It
// returns when the first and the last one were sent.
func play(t *testing.T, terminal *terminal) (begun, last time.Time) {
	t.Helper()
	time.Sleep(14*time.Hour + 3*time.Minute)
	end := time.Now().Add(130 * time.Second)
	server := &kit.Server{Answer: func(n int, req *http.Request) *http.Response {
		return kit.Respond(req, http.StatusOK, "RateLimit-Policy", `"default";q=100;w=600`,
			"RateLimit", fmt.Sprintf(`"default";r=%d;t=%d`, 42-n, int(time.Until(end).Seconds())))
	}}
	transport := &headway.Transport{Base: server, Burst: -1, Jitter: -1}
	line := termheadway.Show(terminal, transport)
	kit.Prime(t, transport)
	begun = time.Now()
	begin(t.Context(), transport, kit.URL, 13).Wait()
	synctest.Wait()
	require.NoError(t, line.Close())
	calls := server.Calls()
	return begun, calls[len(calls)-1].At
}

// The line appears after a second, counts down, and disappears with the last request that waits.
func TestLineIsRewritten(t *testing.T) {
	terminal := newTerminal(t, 100)
	synctest.Test(t, func(t *testing.T) {
		begun, last := play(t, terminal)
		require.Equal(t, begun.Add(time.Second), terminal.frames[0].at, "nothing in the first second")
		require.Equal(t, last, terminal.frames[len(terminal.frames)-1].at, "it is cleared before anything else happens")
		require.Empty(t, terminal.now())
	})
	require.Equal(t, []string{""}, rows(100, terminal.received()))
	for _, f := range terminal.frames {
		require.LessOrEqual(t, len(rows(100, f.text)), 1)
	}
	seen := terminal.seen()
	require.Equal(t, []string{
		"api.example.com: 12 waiting, next in 2 s, last in 37 s, 41 of 100 left until 14:05",
		"api.example.com: 12 waiting, next in 1 s, last in 35 s, 41 of 100 left until 14:05",
		"api.example.com: 12 waiting, next in 1 s, last in 34 s, 41 of 100 left until 14:05",
	}, seen[:3])
	require.Equal(t, []string{"api.example.com: 1 waiting, next now, 30 of 100 left until 14:05", ""}, seen[len(seen)-2:])
}
