package proxy

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// An upstream has its response-timeout for the fields of a response. Neither the wait for a turn counts, nor the time in which
// the client sends or the response comes.
func TestResponseTimeout(t *testing.T) {
	const limit = 20 * time.Second
	const pause = limit * 2 / 3
	slowly := func() io.Reader {
		parts := 3
		return readerFunc(func([]byte) (int, error) {
			time.Sleep(pause)
			if parts--; parts == 0 {
				return 0, io.EOF
			}
			return 1, nil
		})
	}
	for _, row := range []struct {
		name    string
		limit   time.Duration
		content io.Reader
		base    baseFunc
		want    int
		took    time.Duration
	}{
		{"silent", limit, nil, func(req *http.Request) (*http.Response, error) {
			<-req.Context().Done()
			return nil, context.Cause(req.Context())
		}, 504, limit},
		{"takes no content", limit, strings.NewReader("abc"), func(req *http.Request) (*http.Response, error) {
			_, _ = req.Body.Read(make([]byte, 1))
			<-req.Context().Done()
			return nil, context.Cause(req.Context())
		}, 504, limit},
		{"slow client", limit, slowly(), func(req *http.Request) (*http.Response, error) {
			_, _ = io.ReadAll(req.Body)
			return &http.Response{StatusCode: 200, Body: http.NoBody, Request: req}, nil
		}, 200, 3 * pause},
		{"slow content of the response", limit, nil, func(req *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Body: io.NopCloser(slowly()), Request: req}, nil
		}, 200, 3 * pause},
		{"no limit", -1, nil, func(req *http.Request) (*http.Response, error) {
			time.Sleep(time.Hour)
			return &http.Response{StatusCode: 200, Body: http.NoBody, Request: req}, nil
		}, 200, time.Hour},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, log := inMemory(t, row.base, Upstream{To: api, ResponseTimeout: &row.limit})
				began := time.Now()
				resp := post(t.Context(), s, row.content)
				text := textOf(t, resp)
				require.Equal(t, row.want, resp.StatusCode)
				require.Equal(t, row.took, time.Since(began))
				require.Len(t, log.lines("upstream failed"), row.want/504)
				if row.want == 504 {
					require.Contains(t, text, "the upstream did not answer in time")
					require.Contains(t, log.String(), "response-timeout of 20s")
				}
			})
		})
	}
}

// Requests behind silent ones get their turn long before those end: a quarter of a second for each, where the server is not
// known well. Each has its own time limit from then on.
func TestSilentRequestsDoNotHoldOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		silent := baseFunc(func(req *http.Request) (*http.Response, error) {
			if req.URL.Path == "/quick" {
				return &http.Response{StatusCode: 200, Body: http.NoBody, Request: req}, nil
			}
			<-req.Context().Done()
			return nil, req.Context().Err()
		})
		s, _ := inMemory(t, silent)
		require.Equal(t, 200, get(t.Context(), s, "/quick").StatusCode)
		began := time.Now()
		done := make(chan int, 60)
		for range 60 {
			go func() { done <- get(t.Context(), s, "/slow").StatusCode }()
		}
		synctest.Wait()
		require.Equal(t, 200, get(t.Context(), s, "/quick").StatusCode)
		require.LessOrEqual(t, time.Since(began), 60*time.Second/4)
		for range 60 {
			require.Equal(t, 504, <-done)
		}
		require.LessOrEqual(t, time.Since(began), 60*time.Second/4+DefaultResponseTimeout)
	})
}

// With a real server that accepts and says nothing, the client gets a 504, and the connection is closed.
func TestSilentServer(t *testing.T) {
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	closed := make(chan error, 1)
	go func() {
		conn, err := listener.Accept()
		if err == nil {
			_, err = io.Copy(io.Discard, conn)
		}
		closed <- err
	}()
	s, _ := inMemory(t, newBase(func(net.Conn) bool { return false }),
		Upstream{To: "http://" + listener.Addr().String(), ResponseTimeout: new(time.Millisecond)})
	require.Equal(t, 504, get(t.Context(), s, "/").StatusCode)
	require.NoError(t, <-closed)
	require.NoError(t, listener.Close())
}
