package ratelimittest_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

// A handler reads the same of a request's body over HTTP and in memory.
func TestTransportUploadsLikeHTTP(t *testing.T) {
	type upload struct {
		length int64
		body   string
		close  error
		after  error // the error of a read after Close
	}
	tests := []struct {
		name string
		body func() io.Reader
		want upload
	}{
		{"none", func() io.Reader { return nil }, upload{0, "", nil, io.EOF}},
		{"of known length", func() io.Reader { return strings.NewReader("hello") }, upload{5, "hello", nil, http.ErrBodyReadAfterClose}},
		{"of unknown length", func() io.Reader { return io.MultiReader(strings.NewReader("hello")) }, upload{-1, "hello", nil, http.ErrBodyReadAfterClose}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, network := range []string{"over HTTP", "in memory"} {
				got := make(chan upload, 1)
				h := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
					body, _ := io.ReadAll(r.Body)
					closed := r.Body.Close()
					_, after := r.Body.Read(make([]byte, 1))
					got <- upload{r.ContentLength, string(body), closed, after}
				})
				url := "http://api.test/"
				var rt http.RoundTripper = &ratelimittest.Transport{Handler: h}
				if network == "over HTTP" {
					srv := httptest.NewServer(h)
					defer srv.Close()
					url, rt = srv.URL, srv.Client().Transport
				}
				look(t, rt, "POST", url, tt.body())
				require.Equal(t, tt.want, <-got, network)
			}
		})
	}
}

// When the client leaves, its Body is closed, even while the handler reads it.
func TestTransportClosesAnUploadThatIsBeingRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var failed error
		tr := away(func(_ http.ResponseWriter, r *http.Request) { _, failed = io.Copy(io.Discard, r.Body) })
		upload, source := io.Pipe()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := roundTrip(t, tr, newRequest(t, "POST", "http://api.test/", upload).WithContext(ctx))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		_, err = source.Write([]byte("more"))
		require.ErrorIs(t, err, io.ErrClosedPipe)
		synctest.Wait()
		require.Error(t, failed)
	})
}

// A client can read the response before it has sent the whole request.
func TestTransportIsFullDuplex(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := away(func(w http.ResponseWriter, r *http.Request) {
			flush(w)
			_, _ = io.Copy(w, r.Body)
		})
		upload, source := io.Pipe()
		resp, err := tr.RoundTrip(newRequest(t, "POST", "http://api.test/", upload))
		require.NoError(t, err)
		for range 3 {
			_, err = source.Write([]byte("echo"))
			require.NoError(t, err)
			echo := make([]byte, 4)
			_, err = io.ReadFull(resp.Body, echo)
			require.NoError(t, err)
			require.Equal(t, "echo", string(echo))
		}
		require.NoError(t, source.Close())
		_, err = resp.Body.Read(make([]byte, 1))
		require.ErrorIs(t, err, io.EOF)
		require.NoError(t, resp.Body.Close())
	})
}

// A countingReader counts the bytes that were read.
type countingReader struct {
	io.Reader
	read atomic.Int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.read.Add(int64(n))
	return n, err
}

// A body announced with Expect: 100-continue (RFC 9110 §10.1.1) reaches the handler, and is not read if the
// request is refused.
func TestTransportExpectContinueLikeHTTP(t *testing.T) {
	tests := []struct {
		name   string
		quota  int64
		status int
		stored string
		read   int64 // bytes of the client's body
	}{
		{"allowed", 1, http.StatusOK, "hello", 5},
		{"refused", 0, http.StatusTooManyRequests, "", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, network := range []string{"over HTTP", "in memory"} {
				var stored []byte
				h := ratelimittest.NewHandler(ratelimittest.NewFixedWindow(tt.quota, time.Hour), nil)
				h.Next = http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { stored, _ = io.ReadAll(r.Body) })
				url := "http://api.test/"
				var rt http.RoundTripper = &ratelimittest.Transport{Handler: h}
				if network == "over HTTP" {
					srv := httptest.NewServer(h)
					defer srv.Close()
					url, rt = srv.URL, &http.Transport{ExpectContinueTimeout: time.Hour, DisableKeepAlives: true}
				}
				body := &countingReader{Reader: strings.NewReader("hello")}
				req := newRequest(t, "POST", url, body)
				req.Header.Set("Expect", "100-continue")
				resp, err := roundTrip(t, rt, req)
				require.NoError(t, err, network)
				require.Equal(t, tt.status, resp.StatusCode, network)
				require.Equal(t, tt.stored, string(stored), network)
				require.Equal(t, tt.read, body.read.Load(), network)
			}
		})
	}
}
