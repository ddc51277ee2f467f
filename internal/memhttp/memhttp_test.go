package memhttp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// A sighting is what a client sees of a response.
type sighting struct {
	status   int // 0: there is no response
	length   int64
	encoding []string
	header   http.Header // without Date and Connection
	body     string
	trailer  http.Header
	err      error // of reading the body
}

func look(t *testing.T, rt http.RoundTripper, method, url string, body io.Reader) (s sighting) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, body)
	require.NoError(t, err)
	resp, err := rt.RoundTrip(req)
	if err != nil {
		return s
	}
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, resp.Body.Close())
	require.NotEmpty(t, resp.Header.Get("Date"))
	require.Same(t, req, resp.Request)
	resp.Header.Del("Date")
	resp.Header.Del("Connection")
	s = sighting{resp.StatusCode, resp.ContentLength, resp.TransferEncoding, resp.Header, string(text), resp.Trailer, err}
	if len(s.trailer) == 0 {
		s.trailer = nil
	}
	return s
}

// A memory sends requests to its handler in memory.
type memory struct {
	handler http.Handler
	latency time.Duration
}

func (m memory) RoundTrip(req *http.Request) (*http.Response, error) {
	return RoundTrip(req, m.handler, m.latency, "")
}

// A client sees the same over HTTP and in memory.
func TestRoundTripIsLikeHTTP(t *testing.T) {
	long := strings.Repeat("x", maxBuffered+1)
	const unknownLength = "unknown"
	write := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }
	}
	for _, row := range []struct {
		name    string
		method  string
		body    string
		handler http.HandlerFunc
	}{
		{"nothing", "GET", "", func(http.ResponseWriter, *http.Request) {}},
		{"a short body", "GET", "", write("hello")},
		{"a long body", "GET", "", write(long)},
		{"HEAD", "HEAD", "", write("hello")},
		{"a status", "GET", "", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusTeapot)
			w.WriteHeader(http.StatusOK)
		}},
		{"no content", "GET", "", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusNoContent)
			_, err := w.Write([]byte("x"))
			if !errors.Is(err, http.ErrBodyNotAllowed) {
				panic(http.ErrAbortHandler)
			}
		}},
		{"header fields", "GET", "", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "a/b")
			w.Header()["X-A"] = []string{"1", "2"}
			w.WriteHeader(http.StatusAccepted)
			w.Header().Set("X-Late", "3")
		}},
		{"flushed", "GET", "", func(w http.ResponseWriter, r *http.Request) {
			w.(http.Flusher).Flush()
			_, _ = io.WriteString(w, "hello")
		}},
		{"a length of its own", "GET", "", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "5")
			_, _ = io.WriteString(w, "hello")
			_, err := io.WriteString(w, " world")
			if !errors.Is(err, http.ErrContentLength) {
				panic(http.ErrAbortHandler)
			}
		}},
		{"an announced trailer", "GET", "", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Trailer", "X-A, X-B")
			_, _ = io.WriteString(w, "hello")
			w.Header().Set("X-A", "1")
		}},
		{"a trailer that is not announced", "GET", "", func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, "hello")
			w.Header().Set(http.TrailerPrefix+"x-a", "1")
		}},
		{"an upload", "POST", "hello", func(w http.ResponseWriter, r *http.Request) {
			duplex := http.NewResponseController(w).EnableFullDuplex()
			body, err := io.ReadAll(r.Body)
			if duplex != nil || err != nil || r.ContentLength != 5 || r.RequestURI != "/a?b=c" || r.URL.Host != "" || r.Host == "" {
				panic(http.ErrAbortHandler)
			}
			_, _ = w.Write(body)
		}},
		{"an upload of unknown length", "POST", unknownLength, func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			_, _ = fmt.Fprint(w, r.ContentLength, r.TransferEncoding, len(body), err)
		}},
		{"an abort", "GET", "", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }},
		{"an abort after the header", "GET", "", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "hello")
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}},
		{"an end of the goroutine", "GET", "", func(http.ResponseWriter, *http.Request) { runtime.Goexit() }},
	} {
		t.Run(row.name, func(t *testing.T) {
			srv := httptest.NewServer(row.handler)
			defer srv.Close()
			body := func() io.Reader {
				switch row.body {
				case "":
					return nil
				case unknownLength:
					return io.MultiReader(strings.NewReader(row.body))
				}
				return strings.NewReader(row.body)
			}
			want := look(t, srv.Client().Transport, row.method, srv.URL+"/a?b=c", body())
			require.Equal(t, want, look(t, memory{handler: row.handler}, row.method, srv.URL+"/a?b=c", body()))
		})
	}
}

// The first half of the latency passes before the handler is called, the second after each part was sent.
func TestRoundTripTakesTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		requireTime := func(want time.Duration) {
			t.Helper()
			require.Equal(t, want, time.Since(begun))
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://api.test/", nil)
		require.NoError(t, err)
		resp, err := RoundTrip(req, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			requireTime(time.Second)
			w.(http.Flusher).Flush()
			for range 2 {
				time.Sleep(10 * time.Second)
				_, _ = io.WriteString(w, "x")
			}
			time.Sleep(10 * time.Second)
		}), 2*time.Second, "")
		require.NoError(t, err)
		requireTime(2 * time.Second)
		for _, at := range []time.Duration{12 * time.Second, 22 * time.Second} {
			n, err := resp.Body.Read(make([]byte, 10))
			require.NoError(t, err)
			require.Equal(t, 1, n)
			requireTime(at)
		}
		_, err = resp.Body.Read(make([]byte, 10))
		require.Equal(t, io.EOF, err)
		requireTime(32 * time.Second)
		require.NoError(t, resp.Body.Close())
		_, err = resp.Body.Read(make([]byte, 10))
		require.ErrorIs(t, err, http.ErrBodyReadAfterClose)
	})
}

// A client that leaves ends the handler's context, its writes and its reads, and closes the request's Body.
func TestRoundTripOfAClientThatLeaves(t *testing.T) {
	for name, leave := range map[string]func(cancel func(), resp *http.Response){
		"its context ends":              func(cancel func(), _ *http.Response) { cancel() },
		"it closes the response's Body": func(_ func(), resp *http.Response) { _ = resp.Body.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				upload, sender := io.Pipe()
				req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://api.test/", upload)
				require.NoError(t, err)
				handled := make(chan error, 3)
				resp, err := RoundTrip(req, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { //nolint:bodyclose // one client leaves without
					w.(http.Flusher).Flush()
					<-r.Context().Done()
					_, err := r.Body.Read(make([]byte, 1))
					handled <- err
					_, err = w.Write([]byte("x"))
					handled <- err
				}), 0, "")
				require.NoError(t, err)
				leave(cancel, resp)
				require.Error(t, <-handled)
				require.ErrorIs(t, <-handled, io.ErrClosedPipe)
				_, err = sender.Write([]byte("x"))
				require.ErrorIs(t, err, io.ErrClosedPipe, "the request's Body is closed")
				_, err = resp.Body.Read(make([]byte, 1))
				require.Error(t, err)
			})
		})
	}
}

// A request that ends before the handler has it closes its Body, and so does one without a host.
func TestRoundTripThatDoesNotArrive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		never := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the request arrived") })
		late := errors.New("late")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, late)
		defer cancel()
		for url, want := range map[string]error{"http://api.test/": late, "/": errNoHost} {
			body, sender := io.Pipe()
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, body)
			require.NoError(t, err)
			_, err = RoundTrip(req, never, time.Minute, "") //nolint:bodyclose // there is none
			require.ErrorIs(t, err, want)
			_, err = sender.Write([]byte("x"))
			require.ErrorIs(t, err, io.ErrClosedPipe)
		}
	})
}
