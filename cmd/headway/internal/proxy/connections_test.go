package proxy

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// idleClients is how many connections are idle in tests: more than the default allows, and as many as CI stands with the race
// detector. They are in memory, so they need no file descriptors.
const idleClients = 5_000

// refused is a request that the proxy answers itself.
const refused = "GET / HTTP/1.1\nHost: evil.com\n\n"

// Idle connections beyond the allowed number do not lock out other clients: each new one takes the place of the one that has
// been idle for longest.
func TestIdleConnectionsMakeRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := run(t, served(reporting), Config{})
		began := time.Now()
		clients := make([]*session, idleClients)
		for i := range clients {
			clients[i] = r.session(t)
			clients[i].write(t, refused)
			require.Equal(t, 421, clients[i].status())
		}
		require.LessOrEqual(t, time.Since(began), 3*time.Second)
		_, err := clients[0].in.ReadByte()
		require.Error(t, err, "it made room")
		for _, s := range clients[idleClients-100:] {
			s.write(t, simple)
			require.Equal(t, 200, s.status())
		}
	})
}

// Connections on which nothing was ever sent make room, too, and none does within a second.
func TestSilentConnectionsMakeRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := run(t, served(echo), Config{MaxConnections: 2})
		began := time.Now()
		silent, half := r.session(t), r.session(t)
		half.write(t, "GET / HTTP/1.1\nHost: localhost\n")
		for _, s := range []*session{r.session(t), r.session(t)} {
			s.write(t, simple)
			require.Equal(t, 200, s.status())
		}
		require.Equal(t, leastIdle, time.Since(began))
		require.Zero(t, silent.status())
		require.Zero(t, half.status())
	})
}

// Requests that wait keep their connections. A client beyond the allowed number waits for one of these to end, and so does the
// end of the proxy not wait for that client.
func TestBusyConnectionsKeepTheirPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		r := run(t, served(func(http.ResponseWriter, *http.Request) { <-release }), Config{MaxConnections: 2})
		busy := []*session{r.session(t), r.session(t)}
		for _, s := range busy {
			s.write(t, simple)
		}
		synctest.Wait()
		next := r.session(t) // accepted, and not served
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		_, err := r.dial(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		close(release)
		for _, s := range busy {
			require.Equal(t, 200, s.status())
		}
		next.write(t, simple)
		require.Equal(t, 200, next.status())
	})
	synctest.Test(t, func(t *testing.T) {
		r := run(t, served(func(_ http.ResponseWriter, req *http.Request) { <-req.Context().Done() }), Config{MaxConnections: 1, Grace: time.Minute})
		busy := r.session(t)
		busy.write(t, simple)
		synctest.Wait()
		next := r.session(t)
		r.stop()
		require.Zero(t, next.status())
		<-r.ended
		require.NoError(t, r.err)
	})
}
