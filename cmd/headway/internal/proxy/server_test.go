package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

// echo answers with the URL that the upstream was asked for.
func echo(w http.ResponseWriter, r *http.Request) {
	_, _ = io.WriteString(w, "https://"+r.Host+r.URL.RequestURI())
}

func TestUpstreamOfARequest(t *testing.T) {
	s, _ := inMemory(t, served(echo),
		Upstream{To: "https://all.com", Path: "/a"},
		Upstream{To: "https://deep.com/v1/", Path: "/a/b"},
		Upstream{To: "https://flat.com/v1", Path: "/c"},
		Upstream{To: "https://host.com", Host: "host.localhost"},
		Upstream{To: "https://both.com", Host: "host.localhost", Path: "/a"},
	)
	for _, row := range []struct{ name, host, path, want string }{
		{"path", "localhost", "/a/x", "https://all.com/x"},
		{"path alone, of a longer URL", "localhost", "/a/b", "https://deep.com/v1/"},
		{"path alone, of a URL without a slash", "localhost", "/c", "https://flat.com/v1"},
		{"path with query", "localhost", "/a?b=c;d&e=%zz", "https://all.com/?b=c;d&e=%zz"},
		{"longer path", "localhost", "/a/b/c", "https://deep.com/v1/c"},
		{"path that begins so", "localhost", "/ab", ""},
		{"no path", "localhost", "/", ""},
		{"host", "host.localhost:8429", "/a2/x", "https://host.com/a2/x"},
		{"host and path", "host.localhost", "/a/x", "https://both.com/x"},
		{"escapes stay", "localhost", "/a/x%2Fy%20z/%e4", "https://all.com/x%2Fy%20z/%e4"},
		{"slashes stay", "localhost", "/a//x/../y/", "https://all.com//x/../y/"},
		{"the proxy's own in disguise", "host.localhost", "/-%2Fheadway", "https://host.com/-%2Fheadway"},
		{"the proxy's own, with two slashes", "host.localhost", "//-/headway", "https://host.com//-/headway"},
	} {
		t.Run(row.name, func(t *testing.T) {
			resp := get(t.Context(), s, row.path, "Host: "+row.host)
			if row.want == "" {
				require.Equal(t, http.StatusNotFound, resp.StatusCode)
				require.Contains(t, textOf(t, resp), "no upstream")
				return
			}
			require.Equal(t, row.want, textOf(t, resp))
		})
	}
}

// The proxy is no way to other servers, on loopback or beyond. net/http accepts CONNECT with a path, too.
func TestNoForwardProxy(t *testing.T) {
	for _, isExposed := range []bool{false, true} {
		for _, target := range []string{"http://evil.com/", "http://localhost/", api + "/x", "x:http://evil.com/", "x:admin", "*", "/x", "evil.com:443"} {
			s, _ := inMemory(t, served(func(http.ResponseWriter, *http.Request) { t.Error("sent") }))
			s.isExposed = isExposed
			method := http.MethodGet
			if target == "/x" || target == "evil.com:443" {
				method = http.MethodConnect
			}
			req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
			req.Method, req.RequestURI, req.Host = method, target, "localhost"
			w := httptest.NewRecorder()
			s.ServeHTTP(w, req)
			require.Equal(t, http.StatusMisdirectedRequest, w.Code, target)
		}
	}
}

// A request that would wait too long gets a 429 that names the policy and the proxy.
func TestRefusal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base, _ := limited(&ratelimittest.FixedWindow{Policy: ratelimittest.Policy{Name: "hourly", Quota: 1, Window: time.Hour}})
		s, log := inMemory(t, base, Upstream{To: api, MaxWait: time.Minute})
		require.Equal(t, 200, get(t.Context(), s, "/", "Authorization: Bearer hunter2").StatusCode)
		for range 2 {
			resp := get(t.Context(), s, "/?key=hunter2", "Authorization: Bearer hunter2")
			require.Equal(t, http.StatusTooManyRequests, resp.StatusCode)
			require.Equal(t, "application/problem+json; charset=utf-8", resp.Header.Get("Content-Type"))
			require.Equal(t, "3601", resp.Header.Get("Retry-After"), "nobody has seen the end of the hour")
			require.Equal(t, "false", resp.Header.Get("X-Should-Retry"))
			var p problem
			require.NoError(t, json.Unmarshal([]byte(textOf(t, resp)), &p))
			require.Equal(t, []string{"hourly"}, p.Violated)
			require.Equal(t, quotaExceeded, p.Type)
			require.Equal(t, "headway proxy", p.Source)
			require.InDelta(t, 3600, p.Wait, 1)
			require.Contains(t, p.Detail, `quota of policy "hourly"`)
			require.Equal(t, p.Title+". "+p.Detail, p.Error.Message)
		}
		time.Sleep(sumFor)
		synctest.Wait()
		require.Len(t, log.lines("refusal"), 2)
		require.Contains(t, log.lines("refusal")[0], `"policy":"hourly"`)
		require.NotContains(t, log.String(), "hunter2")
	})
}

// A throttled request is sent again with its content, and the hold is one line in the log.
func TestThrottledRequestIsSentAgain(t *testing.T) {
	for _, row := range []struct {
		name    string
		length  int
		resend  int64
		chunked bool
		want    int
	}{
		{"length told", 1000, 1000, false, 200},
		{"chunked", 1000, 1000, true, 429},
		{"too long", 1001, 1000, false, 429},
		{"nothing is kept", 1, -1, false, 429},
		{"no content", 0, -1, false, 200},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				content := strings.Repeat("x", row.length)
				var got []string
				base := served(func(w http.ResponseWriter, r *http.Request) {
					text, err := io.ReadAll(r.Body)
					if err != nil {
						t.Error(err)
					}
					if got = append(got, string(text)); len(got) == 1 {
						w.Header().Set("Retry-After", "30")
						w.WriteHeader(http.StatusTooManyRequests)
					}
				})
				s, log := inMemory(t, base)
				s.resendBody = row.resend
				var source io.Reader = strings.NewReader(content)
				if row.chunked {
					source = io.NopCloser(source) // hides the length
				}
				req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", source)
				req.Host = "localhost"
				w := httptest.NewRecorder()
				s.ServeHTTP(w, req)
				require.Equal(t, row.want, w.Code)
				for _, text := range got {
					require.Equal(t, content, text)
				}
				require.Len(t, got, map[int]int{200: 2, 429: 1}[row.want])
				require.Len(t, log.lines("hold"), 1)
				require.Contains(t, log.lines("hold")[0], `"status":429,"seconds":30`)
				require.NotContains(t, log.String(), "policies")
				require.Zero(t, s.proxy.budget.kept.Load())
			})
		})
	}
}

// Clients with different credentials do not slow each other. With a partition header its values count instead.
func TestPartitions(t *testing.T) {
	for _, row := range []struct{ name, header, first, second, want string }{
		{"same credentials", "", "Authorization: Bearer a", "Authorization: Bearer a", "waits"},
		{"other credentials", "", "Authorization: Bearer a", "Authorization: Bearer b", "goes"},
		{"same tenant", "x-tenant", "X-Tenant: a", "X-Tenant: a", "waits"},
		{"other tenant", "x-tenant", "X-Tenant: a", "X-Tenant: b", "goes"},
		{"a field for the proxy alone", "headway-tenant", "Headway-Tenant: a", "Headway-Tenant: b", "goes"},
		{"two values and one", "x-tenant", "X-Tenant: ab", "X-Tenant: a", "goes"},
		{"other tenants, same credentials", "x-tenant", "Authorization: a", "Authorization: b", "waits"},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				base, allowed := limited(&ratelimittest.FixedWindow{Policy: ratelimittest.Per(1, time.Minute)})
				s, _ := inMemory(t, base, Upstream{To: api, PartitionHeader: row.header, MaxRetries: -1})
				require.Equal(t, 200, get(t.Context(), s, "/", row.first).StatusCode)
				name, value, _ := strings.Cut(row.first, ": ")
				req := allowed.last(t)
				if row.header != "headway-tenant" {
					require.Equal(t, value, req.Header.Get(name), "the field reaches the upstream")
				}
				resp := get(t.Context(), s, "/", row.second, maxWaitField+": 1s")
				_, isRefused := resp.Header["X-Should-Retry"] // else the server has refused it
				require.Equal(t, row.want == "waits", isRefused)
				for _, state := range s.upstreams[0].transport.State() {
					require.NotContains(t, state.Partition, "Bearer")
					require.True(t, strings.HasPrefix(state.Partition, api+"#"), state.Partition)
				}
			})
		})
	}
}

// A WebSocket goes at once, and the proxy learns nothing from it. Offers of other protocols are no upgrade.
func TestUpgradesAreNotPaced(t *testing.T) {
	for _, row := range []struct {
		name, method, upgrade, key, content string
		isPaced                             bool
	}{
		{"WebSocket", "GET", "websocket", "AQ==", "", false},
		{"WebSocket with content", "GET", "websocket", "AQ==", "x", true},
		{"WebSocket without a key", "GET", "websocket", "", "", true},
		{"HTTP/2 is offered", "GET", "h2c", "", "", true},
		{"several are offered", "GET", "h2c, websocket", "", "", true},
		{"none", "GET", "", "", "", true},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				base, allowed := limited(&ratelimittest.TokenBucket{Policy: ratelimittest.Per(2, time.Hour)})
				s, _ := inMemory(t, base)
				fields := []string{maxWaitField + ": 1s"}
				if row.upgrade != "" {
					fields = append(fields, "Connection: Upgrade, HTTP2-Settings", "Upgrade: "+row.upgrade, "HTTP2-Settings: AAMAAABkAAQ", "Sec-WebSocket-Key: "+row.key)
				}
				resp := send(t.Context(), s, row.method, "/", row.content, fields...)
				require.Equal(t, 200, resp.StatusCode)
				req := allowed.last(t)
				require.Equal(t, row.isPaced, req.Header.Get("Upgrade") == "")
				require.NotContains(t, req.Header, "Http2-Settings")
				require.Equal(t, row.isPaced, len(s.upstreams[0].transport.State()) > 0)
			})
		})
	}
}

// A client that goes away does not wait any more.
func TestClientGoesAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base, allowed := limited(&ratelimittest.FixedWindow{Policy: ratelimittest.Per(1, time.Hour)})
		s, _ := inMemory(t, base)
		require.Equal(t, 200, get(t.Context(), s, "/").StatusCode)
		ctx, leave := context.WithCancel(t.Context())
		time.AfterFunc(time.Minute, leave)
		began := time.Now()
		require.Equal(t, statusClientGone, get(ctx, s, "/").StatusCode)
		require.Equal(t, time.Minute, time.Since(began))
		require.Len(t, allowed.queries(), 1)
		require.Zero(t, s.upstreams[0].transport.State()[0].Waiting)
	})
}

// An upstream that breaks off, sends no HTTP or a status that HTTP/1 has no room for, or is too slow, is a 502 or 504.
func TestUpstreamThatFails(t *testing.T) {
	for _, row := range []struct {
		name   string
		status int
		err    error
		want   int
	}{
		{"broken off", 0, io.ErrUnexpectedEOF, http.StatusBadGateway},
		{"no HTTP", 0, errors.New("malformed line: hunter2"), http.StatusBadGateway},
		{"too slow", 0, context.DeadlineExceeded, http.StatusGatewayTimeout},
		{"no status", 0, nil, http.StatusBadGateway},
		{"a status of two digits", 99, nil, http.StatusBadGateway},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, log := inMemory(t, baseFunc(func(req *http.Request) (*http.Response, error) {
				if row.err != nil {
					return nil, row.err
				}
				return &http.Response{StatusCode: row.status, Header: http.Header{}, Body: http.NoBody, Request: req}, nil
			}))
			resp := get(t.Context(), s, "/?key=hunter2")
			require.Equal(t, row.want, resp.StatusCode)
			require.Contains(t, textOf(t, resp), "the upstream")
			require.Len(t, log.lines("upstream failed"), 1)
			require.NotContains(t, log.String(), "hunter2")
		})
	}
}

// What the upstream sends comes through as it is, whatever the status, but for links and Alt-Svc.
func TestResponsePassesThrough(t *testing.T) {
	for _, status := range []int{200, 204, 304, 404, 429, 500, 503} {
		s, _ := inMemory(t, served(func(w http.ResponseWriter, _ *http.Request) {
			h := w.Header()
			h["X-Twice"] = []string{"1", "2"}
			h.Set("Content-Encoding", "br")
			h.Set("Alt-Svc", `h3=":443"`)
			h.Set("RateLimit", `"a";r=1;t=1`)
			h.Set("Location", api+"/next")
			w.WriteHeader(status)
			if status != 204 && status != 304 {
				_, _ = io.WriteString(w, "\x00\x01text")
			}
		}), Upstream{To: api, Path: "/p", MaxRetries: -1})
		resp := get(t.Context(), s, "/p/")
		require.Equal(t, status, resp.StatusCode)
		require.Equal(t, []string{"1", "2"}, resp.Header["X-Twice"])
		require.Equal(t, "br", resp.Header.Get("Content-Encoding"))
		require.Equal(t, `"a";r=1;t=1`, resp.Header.Get("RateLimit"))
		require.Equal(t, "http://localhost:8429/p/next", resp.Header.Get("Location"))
		require.NotContains(t, resp.Header, "Alt-Svc")
		if status != 204 && status != 304 {
			require.Equal(t, "\x00\x01text", textOf(t, resp))
		}
	}
}
