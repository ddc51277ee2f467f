package proxy

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

// A running proxy serves connections in memory, in virtual time.
type running struct {
	*pipes

	admin   *pipes // to the proxy's own pages
	proxy   *proxy
	log     *logBuffer
	hangups chan os.Signal
	stop    func()
	ended   chan struct{} // closed when the proxy has ended, with err
	err     error
}

// run starts a proxy in front of base.
func run(t *testing.T, base http.RoundTripper, c Config) *running {
	t.Helper()
	if c.Upstreams == nil {
		c.Upstreams = []Upstream{{To: api}}
	}
	log, text := newLog()
	p, err := build(c, log)
	require.NoError(t, err)
	p.upstreams[0].base = base
	ctx, stop := context.WithCancel(t.Context())
	r := &running{pipes: newPipes(), admin: newPipes(), proxy: p, log: text, stop: stop, ended: make(chan struct{}), hangups: make(chan os.Signal)}
	p.admin, p.hangups = r.admin, r.hangups
	go func() {
		defer close(r.ended)
		r.err = p.serve(ctx, r.pipes)
	}()
	t.Cleanup(func() { stop(); <-r.ended })
	return r
}

const simple = "GET / HTTP/1.1\nHost: localhost\n\n"

// A client that is too slow with its fields, with its next request or with its content is cut off. Others wait as long as
// they like.
func TestSlowClients(t *testing.T) {
	const post = "POST / HTTP/1.1\nHost: localhost\nContent-Length: 10\n\n"
	const chunked = "POST / HTTP/1.1\nHost: localhost\nTransfer-Encoding: chunked\n\n"
	for _, row := range []struct {
		name  string
		parts []string // of a request
		pause time.Duration
		want  int // status; 0: the connection is closed
	}{
		{"fields in time", []string{"GET / HTTP/1.1\n", "Host: localhost\n\n"}, headTimeout - time.Second, 200},
		{"fields too late", []string{"GET / HTTP/1.1\n", ""}, headTimeout + time.Second, 0},
		{"content in time", []string{post + "01", "23", "45", "67", "89"}, stall - time.Second, 200},
		{"content too late", []string{post + "0123456", ""}, stall + time.Second, 408},
		{"chunks in time", []string{chunked + "1\na\n", "1\nb\n", "1\nc\n", "0\n\n"}, stall - time.Second, 200},
		{"chunk too late", []string{chunked + "1\na\n", ""}, stall + time.Second, 408},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := run(t, served(func(w http.ResponseWriter, r *http.Request) {
					if _, err := io.Copy(w, r.Body); err != nil {
						panic(http.ErrAbortHandler)
					}
				}), Config{})
				s := r.session(t)
				for i, part := range row.parts {
					if i > 0 {
						time.Sleep(row.pause)
					}
					if part != "" {
						s.write(t, part)
					}
				}
				require.Equal(t, row.want, s.status())
			})
		})
	}
	t.Run("next request too late", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := run(t, served(echo), Config{}).session(t)
			s.write(t, simple)
			require.Equal(t, 200, s.status())
			time.Sleep(idleTimeout - time.Second)
			s.write(t, simple)
			require.Equal(t, 200, s.status())
			time.Sleep(idleTimeout + time.Second)
			_, err := s.in.ReadByte()
			require.ErrorIs(t, err, io.EOF)
		})
	})
}

// net/http ends the context of a request whose content cannot be read, and says why only afterwards. The client gets that reason.
func TestReasonThatComesAfterTheEndOfTheContext(t *testing.T) {
	for _, row := range []struct {
		name string
		err  error
		want int
	}{
		{"too slow", os.ErrDeadlineExceeded, http.StatusRequestTimeout},
		{"broken off", io.ErrUnexpectedEOF, http.StatusBadRequest},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, end := context.WithCancel(t.Context())
				s, _ := inMemory(t, served(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }))
				content := readerFunc(func([]byte) (int, error) {
					end()
					time.Sleep(time.Millisecond)
					return 0, row.err
				})
				req := httptest.NewRequestWithContext(ctx, http.MethodPost, "/", content)
				req.Host = "localhost"
				w := httptest.NewRecorder()
				s.ServeHTTP(w, req)
				require.Equal(t, row.want, w.Code)
			})
		})
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// A client that does not read its response frees its upstream. So does one that does not read interim responses, of which an
// upstream may send any number.
func TestClientThatDoesNotRead(t *testing.T) {
	for _, row := range []struct {
		name   string
		answer func(req *http.Request, ended chan<- struct{}) (*http.Response, error)
	}{
		{"response", func(req *http.Request, ended chan<- struct{}) (*http.Response, error) {
			body, more := io.Pipe()
			go func() {
				defer close(ended)
				for { // until the proxy closes the body
					if _, err := more.Write(make([]byte, 10_000)); err != nil {
						return
					}
				}
			}()
			return &http.Response{StatusCode: 200, Header: http.Header{}, Body: body, ContentLength: 1 << 40, Request: req}, nil
		}},
		{"interim responses", func(req *http.Request, ended chan<- struct{}) (*http.Response, error) {
			defer close(ended)
			for req.Context().Err() == nil {
				_ = httptrace.ContextClientTrace(req.Context()).Got1xxResponse(http.StatusEarlyHints, nil)
			}
			return nil, req.Context().Err()
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ended := make(chan struct{})
				r := run(t, baseFunc(func(req *http.Request) (*http.Response, error) { return row.answer(req, ended) }), Config{})
				began := time.Now()
				r.session(t).write(t, simple)
				<-ended
				require.Equal(t, stallOfResponse, time.Since(began))
			})
		})
	}
}

// A client may read as slowly as it likes, if it takes something within the limit, here a byte. A client that takes nothing is cut off.
func TestSlowReader(t *testing.T) {
	for _, row := range []struct {
		name  string
		pause time.Duration
		isCut bool
	}{{"in time", stallOfResponse - time.Second, false}, {"too slow", stallOfResponse + 2*look, true}} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const size = 1 << 20
				s := run(t, baseFunc(func(req *http.Request) (*http.Response, error) {
					body := io.NopCloser(strings.NewReader(strings.Repeat("x", size)))
					return &http.Response{StatusCode: 200, Body: body, ContentLength: size, Request: req}, nil
				}), Config{}).session(t)
				s.write(t, simple)
				var err error
				for range 100 {
					time.Sleep(row.pause)
					if _, err = s.Read(make([]byte, 1)); err != nil {
						break
					}
				}
				require.Equal(t, row.isCut, err != nil)
			})
		})
	}
}

// A stream that is silent for hours is not cut off.
func TestSilentStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := run(t, served(func(w http.ResponseWriter, _ *http.Request) {
			for range 3 {
				_, _ = io.WriteString(w, "data: x\n\n")
				_ = http.NewResponseController(w).Flush()
				time.Sleep(5 * time.Hour)
			}
		}), Config{})
		s := r.session(t)
		s.write(t, simple)
		resp, err := http.ReadResponse(s.in, nil)
		require.NoError(t, err)
		require.Equal(t, strings.Repeat("data: x\n\n", 3), textOf(t, resp))
		s.write(t, simple)
		require.Equal(t, 200, s.status(), "the connection is as good as new")
	})
}

// An answer of the proxy itself does not wait for content that nobody reads, even if it is longer than net/http's buffer.
func TestAnswerBeforeTheContent(t *testing.T) {
	const chunk = "Transfer-Encoding: chunked\n\n1\na\n"
	for _, row := range []struct {
		name, text string
		want       int
	}{
		{"no such host", "POST / HTTP/1.1\nHost: evil.com\n" + chunk, 421},
		{"wrong field", "POST / HTTP/1.1\nHost: localhost\nHeadway-Priority: x\n" + chunk, 400},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := run(t, served(echo), Config{}).session(t)
				began := time.Now()
				s.write(t, row.text)
				require.Equal(t, row.want, s.status())
				require.Zero(t, time.Since(began))
			})
		})
	}
}

// Fields beyond the bound are refused.
func TestBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := run(t, served(echo), Config{}).session(t)
		go func() {
			_, _ = io.WriteString(s, "GET / HTTP/1.1\r\nHost: localhost\r\nX: "+strings.Repeat("x", mostHead+5000)+"\r\n\r\n")
		}()
		require.Equal(t, http.StatusRequestHeaderFieldsTooLarge, s.status())
	})
}

// 100 requests wait when the proxy is stopped. Those whose turn comes within the grace are served, and the others get a 503 that
// says when to ask again. The upstream gets each at most once. No new connections and requests are taken.
func TestStopWhileHundredWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const requests = 100
		base, allowed := limited(&ratelimittest.TokenBucket{Policy: ratelimittest.Per(1, time.Second)})
		r := run(t, base, Config{Grace: 30500 * time.Millisecond}) // no request is due when it ends
		idle := r.session(t)
		idle.write(t, simple)
		require.Equal(t, 200, idle.status())
		clients := make([]*session, requests)
		for i := range clients {
			clients[i] = r.session(t)
			clients[i].write(t, simple)
		}
		synctest.Wait()
		began := time.Now()
		r.stop()
		synctest.Wait()
		_, err := r.dial(t.Context())
		require.Error(t, err, "no new connections")
		_, err = idle.in.ReadByte()
		require.ErrorIs(t, err, io.EOF, "no new requests on idle connections")
		counts := map[int]int{}
		for _, s := range clients {
			resp, err := http.ReadResponse(s.in, nil)
			require.NoError(t, err)
			counts[resp.StatusCode]++
			if resp.StatusCode != 200 {
				require.Equal(t, "1", resp.Header.Get("Retry-After"))
				require.Contains(t, textOf(t, resp), "headway proxy stops")
			}
		}
		<-r.ended
		require.NoError(t, r.err)
		require.InDelta(t, 30.5, time.Since(began).Seconds(), 0.1)
		require.InDelta(t, 30, counts[200], 2)
		require.Equal(t, requests, counts[200]+counts[503])
		require.Len(t, allowed.queries(), 1+counts[200])
		for _, msg := range []string{"start", "stop", "stopped"} {
			require.Len(t, r.log.lines(msg), 1)
		}
	})
}

// A proxy that is stopped says so at once to those that ask whether it is ready, and still serves until the drain is over. It is
// alive until the last request has ended.
func TestDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		r := run(t, served(func(_ http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/slow" {
				<-release
			}
		}), Config{Drain: 5 * time.Second})
		slow := r.session(t)
		slow.write(t, "GET /slow HTTP/1.1\nHost: localhost\n\n")
		synctest.Wait()
		ready := func() int { return get(t.Context(), r.proxy.ownPages(), readyPath).StatusCode }
		require.Equal(t, 200, ready())
		r.stop()
		synctest.Wait()
		require.Equal(t, 503, ready())
		time.Sleep(5*time.Second - 1)
		late := r.session(t)
		late.write(t, simple)
		require.Equal(t, 200, late.status())
		time.Sleep(2 * time.Nanosecond)
		_, err := r.dial(t.Context())
		require.ErrorIs(t, err, net.ErrClosed)
		probe := r.admin.session(t)
		probe.write(t, "GET "+healthPath+" HTTP/1.1\nHost: localhost\n\n")
		require.Equal(t, 200, probe.status())
		close(release)
		require.Equal(t, 200, slow.status())
		<-r.ended
		require.NoError(t, r.err)
	})
}

// A second signal has no effect within a second, and then its usual one.
func TestSecondSignal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, signal := context.WithCancel(t.Context())
		restored := make(chan struct{})
		afterPatience(ctx, func() { close(restored) })
		time.Sleep(time.Hour)
		began := time.Now()
		signal()
		<-restored
		require.Equal(t, time.Second, time.Since(began))
	})
}

// Requests that come on connections in use are refused while others are finished.
func TestRequestWhileStopping(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		r := run(t, served(func(http.ResponseWriter, *http.Request) { <-release }), Config{})
		s := r.session(t)
		s.write(t, simple)
		synctest.Wait()
		r.stop()
		synctest.Wait()
		require.Equal(t, http.StatusServiceUnavailable, get(t.Context(), r.proxy.server.Load(), "/").StatusCode)
		close(release)
		require.Equal(t, 200, s.status())
		<-r.ended
		require.NoError(t, r.err)
	})
}

// A WebSocket may go on for as long as other requests. Then it is cut off.
func TestStopOfAnUpgrade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		r := run(t, baseFunc(func(req *http.Request) (*http.Response, error) {
			return &http.Response{
				StatusCode: http.StatusSwitchingProtocols, Request: req, Body: ours,
				Header: http.Header{"Connection": {"Upgrade"}, "Upgrade": {"websocket"}},
			}, nil
		}), Config{Grace: time.Minute})
		s := r.session(t)
		s.write(t, "GET / HTTP/1.1\nHost: localhost\nConnection: Upgrade\nUpgrade: websocket\nSec-WebSocket-Key: AQ==\n\n")
		resp, err := http.ReadResponse(s.in, nil)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.Equal(t, http.StatusSwitchingProtocols, resp.StatusCode)
		began := time.Now()
		r.stop()
		time.Sleep(59 * time.Second)
		go func() { _, _ = io.WriteString(s, "frame") }()
		_, err = io.ReadFull(theirs, make([]byte, 5))
		require.NoError(t, err)
		<-r.ended
		require.NoError(t, r.err)
		require.Equal(t, time.Minute, time.Since(began))
	})
}

// What was learned is saved every minute, and at the end.
func TestSavedWhileRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base, _ := limited(&ratelimittest.FixedWindow{Policy: ratelimittest.Per(9, time.Hour)})
		file := filepath.Join(t.TempDir(), "limits")
		r := run(t, base, Config{Snapshot: file})
		size := func() int64 {
			info, err := os.Stat(file)
			if err != nil {
				return 0
			}
			return info.Size()
		}
		time.Sleep(saveEvery + time.Second)
		empty := size()
		require.Positive(t, empty)
		s := r.session(t)
		s.write(t, simple)
		require.Equal(t, 200, s.status())
		require.Equal(t, empty, size())
		time.Sleep(saveEvery)
		require.Greater(t, size(), empty)
		require.NoError(t, os.Remove(file))
		r.stop()
		<-r.ended
		require.Greater(t, size(), empty)
	})
}

// What is in flight when the grace is over ends, at the upstream too. Its client gets a 503, or sees that the response was cut.
func TestStopWhenTheGraceIsOver(t *testing.T) {
	for _, row := range []struct {
		name    string
		begun   bool // the response
		grace   time.Duration
		isWhole bool
	}{
		{"no response yet, no grace", false, -1, true},
		{"no response yet", false, time.Minute, true},
		{"a stream", true, time.Minute, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := run(t, served(func(w http.ResponseWriter, req *http.Request) {
					if row.begun {
						_, _ = io.WriteString(w, "data: x\n\n")
						_ = http.NewResponseController(w).Flush()
					}
					<-req.Context().Done()
				}), Config{Grace: row.grace})
				s := r.session(t)
				s.write(t, simple)
				began := time.Now()
				time.AfterFunc(time.Second, r.stop)
				resp, err := http.ReadResponse(s.in, nil)
				require.NoError(t, err)
				text, err := io.ReadAll(resp.Body)
				require.Equal(t, row.isWhole, err == nil)
				require.Equal(t, row.isWhole, resp.StatusCode == http.StatusServiceUnavailable)
				require.Equal(t, row.begun, string(text) == "data: x\n\n")
				<-r.ended
				require.NoError(t, r.err)
				require.InDelta(t, 1+max(0, row.grace).Seconds(), time.Since(began).Seconds(), RefusalTime.Seconds())
			})
		})
	}
}

// The start says where the proxy listens and leads, and is loud where other machines can reach it.
func TestStart(t *testing.T) {
	for _, row := range []struct {
		listen string
		isLoud bool
	}{
		{"127.0.0.1:0", false},
		{"localhost:0", false},
		{"0.0.0.0:0", true},
		{":0", true},
	} {
		t.Run(row.listen, func(t *testing.T) {
			log, text := newLog()
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() {
				ended <- Run(ctx, Config{Listen: row.listen, Insecure: true, Upstreams: []Upstream{{To: api, Path: "/a"}}}, nil, log, new(slog.LevelVar))
			}()
			line := text.await("start")
			stop()
			require.NoError(t, <-ended)
			require.Contains(t, line, `"upstreams":{"api.example.com":"https://api.example.com"}`)
			require.Equal(t, row.isLoud, strings.Contains(text.String(), "OTHER MACHINES"))
		})
	}
	log, _ := newLog()
	require.Error(t, Run(t.Context(), Config{Listen: "256.0.0.1:0", Insecure: true, Upstreams: []Upstream{{To: api}}}, nil, log, new(slog.LevelVar)))
	require.ErrorContains(t, Run(t.Context(), Config{}, nil, log, new(slog.LevelVar)), "no upstream")
}
