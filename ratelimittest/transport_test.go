package ratelimittest_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

func newRequest(t *testing.T, method, url string, body io.Reader) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, body)
	require.NoError(t, err)
	return req
}

// An answer is a response whose body has been read and closed.
type answer struct {
	*http.Response
	body string
}

func roundTrip(t *testing.T, rt http.RoundTripper, req *http.Request) (answer, error) {
	t.Helper()
	resp, err := rt.RoundTrip(req)
	if err != nil {
		require.Nil(t, resp)
		return answer{}, err
	}
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	return answer{resp, string(body)}, nil
}

// A closeCounter is a body that counts the calls of Close.
type closeCounter struct {
	io.Reader
	closed int
}

func (c *closeCounter) Close() error { c.closed++; return nil }

func TestTransportSplitsItsLatency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := ratelimittest.NewHandler(ratelimittest.NewLinear(10, time.Second), ratelimittest.Draft10)
		tr := &ratelimittest.Transport{Handler: h, Latency: 3 * time.Second}
		begun := time.Now()
		resp, err := roundTrip(t, tr, newRequest(t, "GET", "http://api.test/", nil))
		require.NoError(t, err)
		require.Equal(t, 3*time.Second, time.Since(begun))
		require.Equal(t, begun.Add(1500*time.Millisecond), h.Log.Arrivals()[0].Time)
		require.Equal(t, begun.Add(time.Second).UTC().Format(http.TimeFormat), resp.Header.Get("Date"), "the time of the response, in whole seconds")
	})
}

func TestTransportServesARequestAsAServerWould(t *testing.T) {
	var got *http.Request
	var body []byte
	tr := &ratelimittest.Transport{
		RemoteAddr: "198.51.100.7:80",
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			got = r
			body, _ = io.ReadAll(r.Body)
			w.WriteHeader(http.StatusEarlyHints)
			w.Header().Set("X-Seen", "yes")
			w.WriteHeader(http.StatusCreated)
			_, _ = io.WriteString(w, "made")
		}),
	}
	sent := &closeCounter{Reader: strings.NewReader("hello")}
	req := newRequest(t, "POST", "https://api.test/things?q=1#part", sent)
	req.Header.Set("X-Own", "1")
	before := req.Clone(req.Context())

	resp, err := roundTrip(t, tr, req)
	require.NoError(t, err)
	require.Equal(t, 1, sent.closed)
	require.Equal(t, before.URL, req.URL)
	require.Equal(t, before.Header, req.Header)

	require.Equal(t, "/things?q=1", got.RequestURI)
	require.Equal(t, "/things", got.URL.Path)
	require.Equal(t, "api.test", got.Host)
	require.Empty(t, got.URL.Host)
	require.Equal(t, "198.51.100.7:80", got.RemoteAddr)
	require.Equal(t, "1", got.Header.Get("X-Own"))
	require.Equal(t, "hello", string(body))

	require.Same(t, req, resp.Request)
	require.Equal(t, "201 Created", resp.Status)
	require.Equal(t, http.StatusCreated, resp.StatusCode)
	require.Equal(t, "yes", resp.Header.Get("X-Seen"))
	require.EqualValues(t, 4, resp.ContentLength)
	require.Equal(t, "made", resp.body)
}

func TestTransportZeroValue(t *testing.T) {
	resp, err := roundTrip(t, new(ratelimittest.Transport), newRequest(t, "GET", "http://api.test", nil))
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, resp.StatusCode)
	require.NotEmpty(t, resp.Header.Get("Date"))
}

func TestTransportKeepsADateOfTheHandler(t *testing.T) {
	const date = "Tue, 01 Jan 2030 00:00:00 GMT"
	tr := &ratelimittest.Transport{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Date", date)
	})}
	resp, err := roundTrip(t, tr, newRequest(t, "GET", "http://api.test/", nil))
	require.NoError(t, err)
	require.Equal(t, date, resp.Header.Get("Date"))
}

// RoundTrip returns at once when its context ends. The request takes 1 s to the server, 1 s in the handler
// and 1 s back.
func TestTransportHeedsTheContext(t *testing.T) {
	cause := errors.New("no longer wanted")
	tests := []struct {
		name    string
		after   time.Duration
		arrived bool
	}{
		{"before it is sent", 0, false},
		{"on the way there", 500 * time.Millisecond, false},
		{"in the handler", 1500 * time.Millisecond, true},
		{"on the way back", 2500 * time.Millisecond, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				arrived := false
				tr := &ratelimittest.Transport{Latency: 2 * time.Second, Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
					arrived = true
					select {
					case <-time.After(time.Second):
					case <-r.Context().Done():
					}
				})}
				ctx, cancel := context.WithCancelCause(t.Context())
				if tt.after == 0 {
					cancel(cause)
				} else {
					time.AfterFunc(tt.after, func() { cancel(cause) })
				}
				body := &closeCounter{Reader: strings.NewReader("")}
				begun := time.Now()
				_, err := roundTrip(t, tr, newRequest(t, "POST", "http://api.test/", body).WithContext(ctx))
				require.ErrorIs(t, err, cause)
				require.Equal(t, tt.after, time.Since(begun))
				require.Equal(t, 1, body.closed)
				synctest.Wait()
				require.Equal(t, tt.arrived, arrived)
			})
		})
	}
}

func TestTransportHeedsClientTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := &http.Client{Timeout: time.Second, Transport: &ratelimittest.Transport{Latency: 5 * time.Second}}
		begun := time.Now()
		outcomes := ratelimittest.Batch{Requests: 1}.Send(client, newRequest(t, "GET", "http://api.test/", nil))
		require.ErrorIs(t, outcomes[0].Err, context.DeadlineExceeded)
		require.Equal(t, time.Second, time.Since(begun))
	})
}

// With 16 workers that obey Retry-After, no run beats the optimum, and all come close to it.
func TestTransportWithManyWorkers(t *testing.T) {
	tests := []struct {
		name    string
		limiter func() ratelimittest.Limiter
		latency time.Duration
	}{
		{"linear", func() ratelimittest.Limiter { return ratelimittest.NewLinear(50, 5*time.Second) }, 20 * time.Millisecond},
		{"linear, far away", func() ratelimittest.Limiter { return ratelimittest.NewLinear(50, 5*time.Second) }, 2 * time.Second},
		{"fixed window", func() ratelimittest.Limiter { return ratelimittest.NewFixedWindow(50, 5*time.Second) }, 20 * time.Millisecond},
		{"aligned window", func() ratelimittest.Limiter { return aligned(50, 5*time.Second) }, 20 * time.Millisecond},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(1700 * time.Millisecond) // into an aligned window
				h := ratelimittest.NewHandler(tt.limiter(), ratelimittest.Draft10)
				server := &ratelimittest.Transport{Handler: h, Latency: tt.latency}
				batch := ratelimittest.Batch{Requests: 200, Workers: 16}
				begun := time.Now()
				outcomes := batch.Send(&http.Client{Transport: patientClient{server}}, newRequest(t, "GET", "http://api.test/", nil))
				took, optimum := time.Since(begun), batch.Optimum(tt.limiter(), begun, tt.latency)

				for _, o := range outcomes {
					require.NoError(t, o.Err)
					require.Equal(t, http.StatusOK, o.Status)
				}
				arrivals := h.Log.Arrivals()
				require.Len(t, arrivals.Allowed(), 200)
				require.LessOrEqual(t, arrivals.Used(tt.limiter()), 1.0)
				require.GreaterOrEqual(t, took, optimum)
				require.Less(t, took, optimum+5*time.Second)
			})
		})
	}
}
