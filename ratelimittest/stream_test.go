package ratelimittest_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

// away is a client that is two seconds from h: one there, one back.
func away(h http.HandlerFunc) *ratelimittest.Transport {
	return &ratelimittest.Transport{Handler: h, Latency: 2 * time.Second}
}

func flush(w http.ResponseWriter) { _ = http.NewResponseController(w).Flush() }

func open(t *testing.T, tr *ratelimittest.Transport, ctx context.Context) *http.Response { //nolint:revive // t comes first in a test
	t.Helper()
	resp, err := tr.RoundTrip(newRequest(t, "GET", "http://api.test/", nil).WithContext(ctx))
	require.NoError(t, err)
	return resp
}

func TestTransportStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		at := func() time.Duration { return time.Since(begun) }
		var returned time.Duration
		resp := open(t, away(func(w http.ResponseWriter, _ *http.Request) {
			flush(w)
			for range 3 {
				time.Sleep(10 * time.Second)
				_, _ = io.WriteString(w, "event\n")
			}
			time.Sleep(10 * time.Second)
			returned = at()
		}), t.Context())
		require.Equal(t, 2*time.Second, at())
		events := bufio.NewScanner(resp.Body)
		for i := 1; events.Scan(); i++ {
			require.Equal(t, "event", events.Text())
			require.Equal(t, time.Duration(10*i+2)*time.Second, at())
		}
		require.NoError(t, events.Err())
		require.Equal(t, 42*time.Second, at())
		require.NoError(t, resp.Body.Close())
		require.Equal(t, 41*time.Second, returned)
	})
}

// A long poll that does not flush is answered when it returns, over HTTP too.
func TestTransportHoldsShortResponsesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		resp := open(t, away(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "one, ")
			time.Sleep(time.Minute)
			_, _ = io.WriteString(w, "two")
		}), t.Context())
		require.Equal(t, 62*time.Second, time.Since(begun))
		require.EqualValues(t, 8, resp.ContentLength)
		require.NoError(t, resp.Body.Close())
	})
}

// A handler writes on whether or not its client reads, and what it wrote is read later.
func TestTransportNeverBlocksAHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		done := false
		resp := open(t, away(func(w http.ResponseWriter, _ *http.Request) {
			piece := []byte(strings.Repeat("x", 1000))
			for range 1000 {
				_, _ = w.Write(piece)
			}
			clear(piece) // the handler may use it again
			done = true
		}), t.Context())
		synctest.Wait()
		require.True(t, done)
		time.Sleep(time.Hour)
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.Equal(t, strings.Repeat("x", 1_000_000), string(body))
		require.NoError(t, resp.Body.Close())
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

// The client goes away while a handler streams to it.
func TestTransportTellsTheHandlerThatItsClientHasGone(t *testing.T) {
	cause := errors.New("no longer wanted")
	tests := []struct {
		name  string
		leave func(cancel func(), resp *http.Response)
		err   error // of reading on
	}{
		{"the context ends", func(cancel func(), _ *http.Response) { cancel() }, cause},
		{"the body is closed", func(_ func(), resp *http.Response) { _ = resp.Body.Close() }, http.ErrBodyReadAfterClose},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				var seen time.Duration
				var failed error
				tr := away(func(w http.ResponseWriter, r *http.Request) {
					flush(w)
					<-r.Context().Done()
					seen = time.Since(begun)
					time.Sleep(time.Second)
					_, failed = io.WriteString(w, "too late")
				})
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				resp := open(t, tr, ctx)
				time.AfterFunc(10*time.Second, func() { tt.leave(func() { cancel(cause) }, resp) })
				for range 2 {
					_, err := resp.Body.Read(make([]byte, 1))
					require.ErrorIs(t, err, tt.err)
					require.Equal(t, 12*time.Second, time.Since(begun))
				}
				time.Sleep(2 * time.Second)
				require.NoError(t, resp.Body.Close())
				synctest.Wait()
				require.Equal(t, 12*time.Second, seen)
				require.ErrorIs(t, failed, io.ErrClosedPipe)
			})
		})
	}
}

func TestTransportEndsTheHandlersContextWhenItReturns(t *testing.T) {
	var ctx context.Context
	var early error
	tr := &ratelimittest.Transport{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		ctx = r.Context()
		early = ctx.Err()
	})}
	_, err := roundTrip(t, tr, newRequest(t, "GET", "http://api.test/", nil))
	require.NoError(t, err)
	require.NoError(t, early)
	require.ErrorIs(t, ctx.Err(), context.Canceled)
}

// A response that has arrived is of no use to a client that gave it up.
func TestTransportGivesNothingToAClientThatHasGone(t *testing.T) {
	cause := errors.New("no longer wanted")
	tr := &ratelimittest.Transport{Handler: hello}
	ctx, cancel := context.WithCancelCause(t.Context())
	given, closed := open(t, tr, ctx), open(t, tr, ctx)
	require.NoError(t, closed.Body.Close())
	_, err := closed.Body.Read(make([]byte, 1))
	require.ErrorIs(t, err, http.ErrBodyReadAfterClose)
	cancel(cause)
	n, err := given.Body.Read(make([]byte, 1))
	require.Zero(t, n)
	require.ErrorIs(t, err, cause)
	require.NoError(t, given.Body.Close())
}

// The client of a HEAD request has all there is for it, which the handler need not notice.
func TestTransportSwallowsBodiesThatAreNotSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		failed := errors.New("not called")
		tr := away(func(w http.ResponseWriter, _ *http.Request) {
			flush(w)
			time.Sleep(10 * time.Second)
			_, failed = io.WriteString(w, "a")
		})
		resp, err := roundTrip(t, tr, newRequest(t, "HEAD", "http://api.test/", nil))
		require.NoError(t, err)
		require.Empty(t, resp.body)
		require.Equal(t, 2*time.Second, time.Since(begun))
		time.Sleep(time.Minute)
		synctest.Wait()
		require.NoError(t, failed)
	})
}

// An upload that never ends is closed when the client goes away, even from under a
// handler that reads it.
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

// A header may be sent, and the response read, before the request has been.
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

// What a handler that ends badly leaves to its client.
func TestTransportWhenTheHandlerBreaks(t *testing.T) {
	tests := []struct {
		name   string
		broken func()
		panics bool
	}{
		{"aborts", func() { panic(http.ErrAbortHandler) }, false},
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
				_, err = resp.Body.Read(nil) // does not wait
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

func TestTransportRaisesAPanicThatNobodyReadOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		resp := open(t, away(func(w http.ResponseWriter, _ *http.Request) { //nolint:bodyclose // it is, twice
			flush(w)
			panic("a bug")
		}), t.Context())
		synctest.Wait()
		require.PanicsWithValue(t, "a bug", func() { _ = resp.Body.Close() })
		require.NoError(t, resp.Body.Close())
	})
}

// A crowd is a Releaser of a few places.
type crowd struct {
	mu     sync.Mutex
	places int64
}

func (c *crowd) Take(_ time.Time, _ string, cost int64) ratelimittest.Decision {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cost > c.places {
		return ratelimittest.Decision{}
	}
	c.places -= cost
	return ratelimittest.Decision{Allowed: true}
}

func (c *crowd) Release(_ time.Time, _ string, cost int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.places += cost
}

// A place is taken until the handler is done, not only until its header has gone out.
func TestTransportFreesAPlaceWhenTheHandlerIsDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := ratelimittest.NewHandler(&crowd{places: 1}, ratelimittest.Silent)
		h.Next = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			flush(w)
			time.Sleep(10 * time.Second)
		})
		tr := away(h.ServeHTTP)
		status := func() int {
			resp := open(t, tr, t.Context())
			defer resp.Body.Close() //nolint:errcheck // nothing to read
			return resp.StatusCode
		}
		resp := open(t, tr, t.Context())
		require.Equal(t, http.StatusOK, resp.StatusCode)
		require.Equal(t, http.StatusTooManyRequests, status())
		_, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.Equal(t, http.StatusOK, status())
		time.Sleep(time.Minute) // it does not heed its context
	})
}

// Many clients stream at once, and some go away.
func TestTransportStreamsToMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := away(func(w http.ResponseWriter, r *http.Request) {
			for range 10 {
				time.Sleep(time.Second)
				if _, err := io.WriteString(w, "tick"); err != nil {
					return
				}
				flush(w)
			}
		})
		var clients sync.WaitGroup
		for i := range 50 {
			clients.Go(func() {
				resp, err := tr.RoundTrip(newRequest(t, "GET", "http://api.test/", nil))
				if err != nil {
					t.Error(err)
					return
				}
				want := int64(4 * (i%10 + 1))
				n, err := io.CopyN(io.Discard, resp.Body, want)
				if err != nil || n != want {
					t.Error(n, err)
				}
				if err := resp.Body.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		clients.Wait()
	})
}
