package proxy

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

// The proxy's own pages show what happens behind it. They do not show credentials, and are not paced. They have an address of
// their own: all paths of the clients' address are the upstreams'.
func TestOwnPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base, allowed := limited(&ratelimittest.FixedWindow{Policy: ratelimittest.Per(1, time.Hour)})
		r := run(t, base, Config{})
		s, pages := r.proxy.server.Load(), r.proxy.ownPages()
		require.Equal(t, 200, get(t.Context(), s, "/", "Authorization: Bearer hunter2").StatusCode)
		require.Equal(t, 429, get(t.Context(), s, "/", "Authorization: Bearer hunter2", maxWaitField+": 1s").StatusCode)
		for _, page := range []struct{ path, accept, want string }{
			{debugPath, "text/html", "api.example.com"},
			{debugPath + "?format=json", "*/*", `"partition":"https://api.example.com#`},
			{metricsPath, "", `headway_requests_sent_total{partition="https://api.example.com",transport="api.example.com"} 1`},
			{metricsPath, "", `headway_requests_refused_total{partition="https://api.example.com",policy="default",reason="max_wait",transport="api.example.com"} 1`},
			{metricsPath, "", "go_goroutines "},
			{metricsPath, "", "headway_proxy_connections_max 4096"},
			{healthPath, "", "ok\n"},
			{readyPath, "", "0 of 4096 places are taken\n"},
		} {
			resp := get(t.Context(), pages, page.path, "Accept: "+page.accept)
			require.Equal(t, http.StatusOK, resp.StatusCode, page.path)
			text := textOf(t, resp)
			require.Contains(t, text, page.want)
			require.NotContains(t, text, "hunter2")
		}
		require.Equal(t, 429, get(t.Context(), s, metricsPath, "Authorization: Bearer hunter2", maxWaitField+": 1s").StatusCode)
		require.Len(t, allowed.queries(), 1, "no page is asked of the upstream")
	})
}

// Health is for all that reach the proxy's own address. Other pages are for whom the proxy serves, and for who asks by an
// address, as no page on the web can have made that a name of its own.
func TestWhoSeesOwnPages(t *testing.T) {
	log, _ := newLog()
	p, err := build(Config{Upstreams: []Upstream{{To: api}}}, log)
	require.NoError(t, err)
	for _, row := range []struct {
		field string
		want  int
	}{
		{"Host: localhost:8430", 200},
		{"Host: 192.0.2.1:8430", 200},
		{"Host: [2001:db8::1]:8430", 200},
		{"Host: evil.com", 421},
		{"Origin: https://evil.com", 403},
	} {
		for path, want := range map[string]int{debugPath: row.want, metricsPath: row.want, healthPath: 200, readyPath: 200} {
			require.Equal(t, want, get(t.Context(), p.ownPages(), path, row.field).StatusCode, row.field+path)
		}
	}
}

// While all places are taken, with requests that wait or with content that does not come, the proxy is alive and not ready, and
// says once that it is full. Room makes it ready again.
func TestAliveWhileFull(t *testing.T) {
	const places = 8
	for _, request := range []string{simple, "POST / HTTP/1.1\nHost: localhost\nContent-Length: 5\n\na"} {
		synctest.Test(t, func(t *testing.T) {
			r := run(t, served(func(_ http.ResponseWriter, req *http.Request) { <-req.Context().Done() }), Config{MaxConnections: places})
			statusOf := func(path string) int {
				probe, began := r.admin.session(t), time.Now()
				probe.write(t, "GET "+path+" HTTP/1.1\nHost: 192.0.2.1:8430\n\n")
				defer func() { require.Zero(t, time.Since(began)) }()
				return probe.status()
			}
			for range 2 {
				var clients []*session
				for range places {
					clients = append(clients, r.session(t))
					clients[len(clients)-1].write(t, request)
				}
				synctest.Wait()
				require.Equal(t, places, r.proxy.clients.open)
				clients = append(clients, r.session(t)) // which waits for a place
				synctest.Wait()
				for path, want := range map[string]int{healthPath: 200, readyPath: 503, metricsPath: 200, debugPath: 200} {
					require.Equal(t, want, statusOf(path), path)
				}
				for _, s := range clients {
					require.NoError(t, s.Close())
				}
				time.Sleep(time.Millisecond)
				require.Equal(t, 200, statusOf(readyPath))
			}
			require.Len(t, r.log.lines("all places are taken: other clients wait"), 2, "once each time")
		})
	}
}

// Clients of the pages that send no end of a request, or one after another without an end, keep their places for a while only.
func TestSlowClientsOfOwnPages(t *testing.T) {
	const health = "GET " + healthPath + " HTTP/1.1\nHost: localhost\n"
	for _, request := range []string{health + "Content-Length: 5\n\na", health + "\n" + health + "\n"} {
		synctest.Test(t, func(t *testing.T) {
			r := run(t, served(reporting), Config{})
			for range mostAdmins {
				s := r.admin.session(t)
				s.write(t, request)
				go s.status() // one answer and no more
			}
			probe := r.admin.session(t)
			require.NoError(t, probe.SetDeadline(time.Now().Add(2*time.Second)))
			probe.write(t, health+"\n")
			require.Equal(t, 200, probe.status())
		})
	}
}

// One client cannot take all places, if others can reach the proxy: beyond three quarters its requests are refused.
func TestBoundPerClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, _ := newLog()
		p, err := build(Config{Listen: "0.0.0.0:8429", Hosts: []string{"localhost"}, MaxConnections: 4, Upstreams: []Upstream{{To: api}}}, log)
		require.NoError(t, err)
		p.upstreams[0].transport.Base = served(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		ctx, leave := context.WithCancel(t.Context())
		from := func(address string) *httptest.ResponseRecorder {
			req := httptest.NewRequestWithContext(ctx, http.MethodGet, "/", http.NoBody)
			req.Host, req.RemoteAddr = "localhost", address
			w := httptest.NewRecorder()
			p.server.Load().ServeHTTP(w, req)
			return w
		}
		for _, address := range []string{"192.0.2.1:1", "192.0.2.1:2", "192.0.2.1:3", "192.0.2.2:1"} {
			go from(address)
		}
		synctest.Wait()
		w := from("192.0.2.1:4")
		require.Equal(t, http.StatusServiceUnavailable, w.Code)
		require.Equal(t, "1", w.Header().Get("Retry-After"))
		require.Contains(t, w.Body.String(), "this client has too many requests at once")
		require.Equal(t, map[string]int{"192.0.2.1": 3, "192.0.2.2": 1}, p.entrance.clients)
		leave()
		synctest.Wait()
		require.Empty(t, p.entrance.clients)
	})
	c, err := Config{AdminListen: "0.0.0.0:8430", Insecure: true, Upstreams: []Upstream{{To: api}}}.complete()
	require.NoError(t, err)
	require.Zero(t, c.MaxPerClient, "all clients are on this machine")
}
