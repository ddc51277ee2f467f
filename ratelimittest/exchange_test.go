package ratelimittest_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

func TestTransportInformsLikeHTTP(t *testing.T) {
	requireLikeHTTP(t, []likeHTTP{
		{
			"informational responses", "",
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Link", "</a>")
				w.Header().Set("Content-Length", "1")
				w.WriteHeader(http.StatusEarlyHints)
				w.WriteHeader(http.StatusProcessing)
				write(w, "a")
			},
			sighting{
				Early: []string{"Early Hints </a>", "Processing </a>"}, Status: "200 OK",
				Header: http.Header{"Content-Length": {"1"}, "Content-Type": {plain}, "Link": {"</a>"}}, Length: 1, Body: "a",
			},
		},
		{
			"an informational response on several lines", "",
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Link", "</a>,\r\n</b>")
				w.WriteHeader(http.StatusEarlyHints)
			},
			sighting{
				Early: []string{"Early Hints </a>,  </b>"}, Status: "200 OK",
				Header: http.Header{"Content-Length": {"0"}, "Link": {"</a>,  </b>"}},
			},
		},
		{
			"an informational response with a control character", "",
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Link", "\x01")
				w.WriteHeader(http.StatusEarlyHints)
				w.Header().Del("Link")
			},
			sighting{Failed: true},
		},
	})
}

func TestTransportReportsInformationalResponses(t *testing.T) {
	tooMany := errors.New("too many")
	tests := []struct {
		name  string
		limit int
		err   error
	}{
		{"all of them", 3, nil},
		{"until the client has had enough", 1, tooMany},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				var arrived []time.Duration
				gone := false
				ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
					Got1xxResponse: func(code int, _ textproto.MIMEHeader) error {
						require.Equal(t, http.StatusProcessing, code)
						arrived = append(arrived, time.Since(begun))
						if len(arrived) > tt.limit {
							return tooMany
						}
						return nil
					},
				})
				tr := away(func(w http.ResponseWriter, r *http.Request) {
					for range 3 {
						time.Sleep(time.Second)
						w.WriteHeader(http.StatusProcessing)
					}
					if tt.err != nil {
						<-r.Context().Done()
						gone = true
					}
				})
				_, err := roundTrip(t, tr, newRequest(t, "GET", "http://api.test/", nil).WithContext(ctx))
				require.ErrorIs(t, err, tt.err)
				require.Equal(t, []time.Duration{3 * time.Second, 4 * time.Second, 5 * time.Second}[:min(3, tt.limit+1)], arrived)
				synctest.Wait()
				require.Equal(t, tt.err != nil, gone, "the handler knows")
			})
		})
	}
}

func TestTransportAbortsLikeHTTP(t *testing.T) {
	requireLikeHTTP(t, []likeHTTP{
		{
			"aborted before the header", "",
			func(w http.ResponseWriter, _ *http.Request) {
				write(w, "a")
				panic(http.ErrAbortHandler)
			},
			sighting{Failed: true},
		},
		{
			"aborted in the body", "",
			func(w http.ResponseWriter, _ *http.Request) {
				write(w, "a")
				flush(w)
				panic(http.ErrAbortHandler)
			},
			sighting{Status: "200 OK", Header: http.Header{"Content-Type": {plain}}, Length: -1, Encoding: chunked, Body: "a", Err: io.ErrUnexpectedEOF},
		},
		{
			"aborted in a body of declared length", "",
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", "2")
				write(w, "a")
				flush(w)
				panic(http.ErrAbortHandler)
			},
			sighting{
				Status: "200 OK", Header: http.Header{"Content-Length": {"2"}, "Content-Type": {plain}},
				Length: 2, Body: "a", Err: io.ErrUnexpectedEOF,
			},
		},
		{
			"aborted after the whole body", "",
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", "1")
				write(w, "a")
				flush(w)
				panic(http.ErrAbortHandler)
			},
			sighting{Status: "200 OK", Header: http.Header{"Content-Length": {"1"}, "Content-Type": {plain}}, Length: 1, Body: "a"},
		},
	})
}

// A handler that ends its goroutine breaks the connection; a handler that panics also panics the client.
func TestTransportWhenTheHandlerBreaks(t *testing.T) {
	tests := []struct {
		name   string
		broken func()
		panics bool
	}{
		{"ends its goroutine", runtime.Goexit, false},
		{"panics", func() { panic("a bug") }, true},
	}
	for _, tt := range tests {
		t.Run(tt.name+" before the header", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				tr := away(func(http.ResponseWriter, *http.Request) { tt.broken() })
				body := &closeCounter{Reader: strings.NewReader("")}
				send := func() {
					_, err := roundTrip(t, tr, newRequest(t, "POST", "http://api.test/", body))
					require.ErrorIs(t, err, ratelimittest.ErrAborted)
				}
				if tt.panics {
					require.PanicsWithValue(t, "a bug", send)
				} else {
					send()
				}
				require.Equal(t, 2*time.Second, time.Since(begun))
				require.Equal(t, 1, body.closed)
			})
		})
		t.Run(tt.name+" in the body", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				resp := open(t, away(func(w http.ResponseWriter, _ *http.Request) {
					_, _ = io.WriteString(w, "begun")
					flush(w)
					time.Sleep(time.Second)
					tt.broken()
				}), t.Context())
				piece := make([]byte, 5)
				_, err := io.ReadFull(resp.Body, piece)
				require.NoError(t, err)
				require.Equal(t, "begun", string(piece))
				_, err = resp.Body.Read(nil) // an empty read does not wait
				require.NoError(t, err)
				require.Equal(t, 2*time.Second, time.Since(begun))
				read := func() {
					_, err := resp.Body.Read(piece)
					require.ErrorIs(t, err, io.ErrUnexpectedEOF)
				}
				if tt.panics {
					require.PanicsWithValue(t, "a bug", read)
				} else {
					read()
				}
				require.Equal(t, 3*time.Second, time.Since(begun))
				require.NoError(t, resp.Body.Close())
			})
		})
	}
}

func TestTransportRaisesAPanicInClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		resp := open(t, away(func(w http.ResponseWriter, _ *http.Request) { //nolint:bodyclose // closed twice
			flush(w)
			panic("a bug")
		}), t.Context())
		synctest.Wait()
		require.PanicsWithValue(t, "a bug", func() { _ = resp.Body.Close() })
		require.NoError(t, resp.Body.Close())
	})
}
