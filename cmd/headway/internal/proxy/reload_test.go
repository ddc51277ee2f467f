package proxy

import (
	"errors"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

// reload makes the proxy reload a Config, and waits until it has.
func (r *running) reload(c Config, err error) {
	r.proxy.load = func() (Config, error) { return c, err }
	r.hangups <- syscall.SIGHUP
	synctest.Wait()
}

// No request is lost by a reload, whatever it changes, while clients send as fast as they can.
func TestReloadUnderLoad(t *testing.T) {
	const clients, reloads = 8, 30
	upstream := listen(t, reporting)
	same := Upstream{To: upstream.URL, Path: "/same"}
	hangups := make(chan os.Signal)
	turn := 0
	next := func() Config {
		turn++
		changed := Upstream{To: upstream.URL, Path: "/changed", Name: "changed", MaxWait: time.Duration(turn) * time.Minute}
		c := Config{Upstreams: []Upstream{same, changed}, Profiles: Profiles{{Host: "example.com"}}}
		if turn%2 == 0 {
			c.Upstreams = append(c.Upstreams, Upstream{To: upstream.URL, Path: "/new", Name: "new"})
			c.Profiles = nil
		}
		return c
	}
	d := open(t, upstream, next(), func(p *proxy) {
		p.hangups, p.load = hangups, func() (Config, error) { return next(), nil }
	})
	answered, end := make(chan int), make(chan struct{})
	var all sync.WaitGroup
	for i := range clients {
		all.Go(func() {
			for {
				status := 0
				resp, err := d.client.Get(d.url + []string{"/same", "/changed"}[i%2]) //nolint:noctx // the test ends it
				if err == nil {
					status = resp.StatusCode
					_ = resp.Body.Close()
				}
				select {
				case answered <- status:
				case <-end:
					return
				}
			}
		})
	}
	for range reloads {
		hangups <- syscall.SIGHUP
		for range 3 * clients {
			require.Equal(t, http.StatusOK, <-answered)
		}
	}
	close(end)
	all.Wait()
	require.Len(t, d.log.lines("reload"), reloads)
}

// An upstream that stays as it is keeps its queue. One whose settings change keeps what it has learned. New ones are there, and
// old ones are not.
func TestReloadOfUpstreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := run(t, baseFunc(nil), Config{})
		base, allowed := limited(&ratelimittest.FixedWindow{Policy: ratelimittest.Per(1, time.Hour)})
		first := r.proxy.upstreams[0]
		first.base, first.transport.Base = base, base
		s := r.session(t)
		s.write(t, simple)
		require.Equal(t, 200, s.status())
		waiting := r.session(t)
		waiting.write(t, simple)

		same, other := Upstream{To: api}, Upstream{To: "https://other.example.com", Path: "/other"}
		r.reload(Config{Upstreams: []Upstream{same, other}}, nil)
		require.Same(t, first, r.proxy.upstreams[0])
		require.Len(t, r.log.lines("reload"), 1)

		changed := Upstream{To: api, MaxRetries: -1}
		r.reload(Config{Upstreams: []Upstream{changed}}, nil)
		require.NotSame(t, first, r.proxy.upstreams[0])
		second := r.proxy.upstreams[0]
		second.base, second.transport.Base = base, base
		require.Equal(t, 429, get(t.Context(), r.proxy.server.Load(), "/other", maxWaitField+": 1s").StatusCode, "it is used up")
		require.Len(t, allowed.queries(), 1)
		require.Equal(t, 200, waiting.status(), "it has waited across both reloads")
		text := textOf(t, get(t.Context(), r.proxy.ownPages(), metricsPath))
		require.Contains(t, text, `headway_requests_sent_total{partition="https://api.example.com",transport="api.example.com"} 2`)
		require.NotContains(t, text, `transport="other.example.com"`)
		time.Sleep(saveEvery)
		r.stop()
		<-r.ended
		require.Empty(t, r.proxy.retired)
	})
}

// What needs a restart stays, and the log says so. What is wrong changes nothing.
func TestReloadThatChangesLess(t *testing.T) {
	upstreams := []Upstream{{To: api}}
	token := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(token, []byte("hunter2-hunter2-1"), 0o600))
	for _, row := range []struct {
		name    string
		running Config
		next    Config
		err     error
		want    string // in the log
		status  int    // of a request without a token
	}{
		{"addresses and bounds", Config{}, Config{Listen: "127.0.0.1:1", MaxConnections: 1, Upstreams: upstreams, TLS: TLS{"a", "b"}}, nil, `"settings":["listen","admin-listen","tls","max-connections"]`, 200},
		{"a token", Config{}, Config{Upstreams: upstreams, TokenFile: token}, nil, `"token":true`, 401},
		{"a wrong file", Config{}, Config{}, errors.New("headway.yaml:3: unknown key"), `"msg":"reload failed","reason":"headway.yaml:3: unknown key"`, 200},
		{"a missing token", Config{}, Config{Upstreams: upstreams, TokenFile: token + "x"}, nil, `"msg":"reload failed","reason":"the token: open`, 200},
		{"open to all without a token", Config{Listen: ":8429", TokenFile: token}, Config{Upstreams: upstreams}, nil, "other machines can reach :8429", 401},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := run(t, served(echo), row.running)
				row.next.LogLevel = "warn"
				r.reload(row.next, row.err)
				require.Contains(t, r.log.String(), row.want)
				require.Equal(t, len(r.log.lines("reload")) == 1, r.proxy.level.Level() == slog.LevelWarn)
				require.Equal(t, row.status, get(t.Context(), r.proxy.server.Load(), "/").StatusCode)
			})
		})
	}
}
