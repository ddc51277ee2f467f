package costs

import (
	"context"
	"errors"
	"io"
	"math"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/examples/ownlimits"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/validate"
)

// minute is a limit of a minute.
func minute(quota, remaining int64) limits.Reported {
	return limits.Reported{Policy: "minute", Quota: quota, Remaining: remaining, Window: time.Minute, Reset: 30 * time.Second}
}

// The caller gets the response as it came, whatever the hook has read of it.
func TestBodyIsKept(t *testing.T) {
	reset := errors.New("reset")
	long := strings.Repeat("0123456789abcdef", 1<<18) // 4 MiB
	reads := func(n int64) func(*http.Response) validate.Reading {
		return func(resp *http.Response) validate.Reading {
			_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, n))
			_ = resp.Body.Close()
			return validate.Reading{Limits: []limits.Reported{minute(1000, 900)}}
		}
	}
	for name, hook := range map[string]func(*http.Response) validate.Reading{
		"a part": reads(100_000), "all": reads(math.MaxInt64),
		"nothing, and changes the response": func(resp *http.Response) (r validate.Reading) {
			resp.StatusCode, resp.Body, resp.Header, resp.Request = 0, nil, nil, nil
			return r
		},
	} {
		for _, test := range []struct {
			name    string
			body    func() io.Reader
			text    string
			wantErr error
			trailer http.Header // announced
		}{
			{"short", func() io.Reader { return strings.NewReader("short") }, "short", nil, nil},
			{"huge", func() io.Reader { return strings.NewReader(long) }, long, nil, nil},
			{"breaks off", func() io.Reader { return io.MultiReader(strings.NewReader(long[:3000]), iotest.ErrReader(reset)) }, long[:3000], reset, nil},
			{"with announced trailers", func() io.Reader { return strings.NewReader("short") }, "short", nil, http.Header{"Digest": nil}},
		} {
			t.Run(name+", "+test.name, func(t *testing.T) {
				body := &kit.TrackedBody{Reader: test.body()}
				var sent *http.Response
				transport := kit.Seeded(t, &headway.Transport{Limits: hook, Base: kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
					sent = kit.Respond(req, http.StatusOK, "Content-Type", "application/json")
					sent.Body, sent.ContentLength, sent.Uncompressed = body, int64(len(test.text)), true
					sent.Trailer, sent.TransferEncoding = test.trailer, []string{"chunked"}
					return sent, nil
				})})
				resp, err := kit.Get(t.Context(), transport, kit.URL)
				require.NoError(t, err)
				require.Same(t, sent, resp)
				require.Equal(t, http.StatusOK, resp.StatusCode)
				require.EqualValues(t, len(test.text), resp.ContentLength)
				require.True(t, resp.Uncompressed)
				require.Equal(t, test.trailer, resp.Trailer)
				require.Equal(t, []string{"chunked"}, resp.TransferEncoding)
				require.Zero(t, body.Closed)
				got, err := io.ReadAll(resp.Body)
				require.ErrorIs(t, err, test.wantErr)
				if string(got) != test.text {
					t.Fatalf("a body of %d bytes, which are not the %d that were sent", len(got), len(test.text))
				}
				require.NoError(t, resp.Body.Close())
				require.Equal(t, 1, body.Closed)
			})
		}
	}
}

// A stream does not keep RoundTrip: after 250 ms, or at the end of the context, the caller has the response. What comes
// later reaches the caller.
func TestStreamsDoNotWait(t *testing.T) {
	for _, test := range []struct {
		name   string
		cancel time.Duration // the context's end; 0: none
		want   time.Duration
	}{
		{"trickles", 0, 250 * time.Millisecond},
		{"cancelled", 100 * time.Millisecond, 100 * time.Millisecond},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if test.cancel > 0 {
					time.AfterFunc(test.cancel, cancel)
				}
				in, out := io.Pipe()
				transport := kit.Seeded(t, &headway.Transport{Limits: ownlimits.Shopify, Base: kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
					resp := kit.Respond(req, http.StatusOK)
					resp.Body, resp.ContentLength = in, -1
					go func() {
						for range 10 {
							time.Sleep(100 * time.Millisecond)
							_, _ = io.WriteString(out, `{"data":`)
						}
						_ = out.Close()
					}()
					return resp, nil
				})})
				begun := time.Now()
				resp, err := kit.Get(ctx, transport, kit.URL)
				require.NoError(t, err)
				require.Equal(t, test.want, time.Since(begun))
				require.Equal(t, strings.Repeat(`{"data":`, 10), kit.ReadAll(t, resp))
			})
		})
	}
}

// A refusal with status 200 has the effect of a 429: its request is sent again after the wait, with its body, and others
// wait too. What cannot be sent again reaches the caller as it came.
func TestRefusalsOfAnyStatus(t *testing.T) {
	refused := validate.Reading{Verdict: validate.VerdictUnknown, RetryAfter: 5 * time.Second}
	for _, test := range []struct {
		name    string
		status  int
		method  string
		once    bool // the request's body cannot be made again
		fields  []string
		resent  bool
		retries int
	}{
		{name: "200", status: 200, method: http.MethodPost, resent: true},
		{name: "200, a body of one time", status: 200, method: http.MethodPost, once: true},
		{name: "500, idempotent", status: 500, method: http.MethodPut, resent: true},
		{name: "500, not idempotent", status: 500, method: http.MethodPost},
		{name: "429, told by the status too", status: 429, method: http.MethodPost, fields: []string{"Retry-After", "2"}, resent: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				base := kit.InTurn(func(req *http.Request) *http.Response {
					resp := kit.Respond(req, test.status, test.fields...)
					resp.Body = io.NopCloser(strings.NewReader("refused"))
					return resp
				}, kit.Status(200))
				transport := kit.Seeded(t, &headway.Transport{
					Base: base, MaxRetries: test.retries,
					Limits: func(resp *http.Response) (r validate.Reading) {
						if body, _ := io.ReadAll(resp.Body); string(body) == "refused" {
							return refused
						}
						return r
					},
				})
				req := kit.NewRequest(t, kit.URL)
				req.Method, req.Body, req.ContentLength = test.method, io.NopCloser(strings.NewReader("query")), 5
				if !test.once {
					req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("query")), nil }
				}
				begun := time.Now()
				resp, err := transport.RoundTrip(req)
				require.NoError(t, err)
				text := kit.ReadAll(t, resp)
				if test.resent {
					require.Equal(t, []string{"query", "query"}, base.Bodies)
					require.Empty(t, text)
					kit.RequireHeld(t, 5*time.Second, time.Since(begun))
					return
				}
				require.Equal(t, []string{"query"}, base.Bodies)
				require.Equal(t, test.status, resp.StatusCode)
				require.Equal(t, "refused", text)
				require.Zero(t, time.Since(begun))
				kit.Prime(t, transport)
				kit.RequireHeld(t, 5*time.Second, time.Since(begun))
			})
		})
	}
}

// The hook sees the response and its request, and is not called where nothing is paced.
func TestLimitsIsCalled(t *testing.T) {
	calls := 0
	hook := func(resp *http.Response) (r validate.Reading) {
		calls++
		require.Equal(t, kit.URL, resp.Request.URL.String())
		return r
	}
	base := kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
		resp := kit.Respond(req, 200)
		resp.Request = nil // as some Bases do
		return resp, nil
	})
	kit.Prime(t, &headway.Transport{Base: base, Limits: hook})
	require.Equal(t, 1, calls)
	kit.Prime(t, &headway.Transport{Base: base, Limits: hook, Partition: func(*http.Request) string { return "" }})
	require.Equal(t, 1, calls, "not paced")
	kit.Prime(t, &headway.Transport{Limits: hook, Base: &headway.Transport{Base: base, Limits: hook}})
	require.Equal(t, 2, calls, "paced above")
	kit.Prime(t, &headway.Transport{Base: base, Limits: hook, Shadow: true})
	require.Equal(t, 3, calls)
}

// A hook that ends its goroutine, as a failed test does, leaves no place taken.
func TestHookThatEndsItsGoroutine(t *testing.T) {
	transport := kit.Seeded(t, &headway.Transport{
		Base:   kit.InTurn(kit.InFlight("1", func() io.ReadCloser { return kit.NewTrackedBody("") })),
		Limits: func(*http.Response) validate.Reading { runtime.Goexit(); return validate.Reading{} },
	})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = kit.Get(t.Context(), transport, kit.URL)
	}()
	<-ended
	require.Zero(t, transport.State()[0].InFlight)
}

// A tunnel is the caller's connection, as that of a 101 is: no hook reads from it, and it stays writable.
func TestTunnel(t *testing.T) {
	for _, test := range []struct {
		method string
		status int
	}{{http.MethodConnect, http.StatusOK}, {http.MethodGet, http.StatusSwitchingProtocols}} {
		synctest.Test(t, func(t *testing.T) {
			near, far := net.Pipe()
			defer func() { _ = far.Close() }()
			transport := kit.Seeded(t, &headway.Transport{
				Base: kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
					resp := kit.InFlight("1", func() io.ReadCloser { return near })(req)
					resp.StatusCode = test.status
					return resp, nil
				}),
				Limits: func(resp *http.Response) (r validate.Reading) {
					text, err := io.ReadAll(resp.Body)
					require.NoError(t, err)
					require.Empty(t, text)
					return r
				},
			})
			req, begun := kit.NewRequest(t, kit.URL), time.Now()
			req.Method = test.method
			resp, err := transport.RoundTrip(req)
			require.NoError(t, err)
			require.Same(t, near, resp.Body)
			require.Zero(t, time.Since(begun))
			require.Zero(t, transport.State()[0].InFlight)
			require.NoError(t, resp.Body.Close())
		})
	}
}

// A refusal is not waited for twice. While a Read is running it may set the trailer, which nothing else may look at then.
func TestLookAtARefusalThatTrickles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const text = "a text that arrives in two parts"
		in, out := io.Pipe()
		transport := kit.Seeded(t, &headway.Transport{
			MaxRetries: -1,
			Base: kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
				resp := kit.Respond(req, http.StatusTooManyRequests, "Content-Type", "application/problem+json", "Retry-After", "5")
				resp.TransferEncoding = []string{"chunked"}
				resp.Body = &endingBody{in, func() { resp.Trailer = kit.Fields("Checksum", "abc") }}
				go func() {
					_, _ = io.WriteString(out, text[:20])
					time.Sleep(time.Second)
					_, _ = io.WriteString(out, text[20:])
					_ = out.Close()
				}()
				return resp, nil
			}),
			Limits: func(resp *http.Response) (r validate.Reading) {
				_, err := io.ReadAll(resp.Body)
				require.ErrorIs(t, err, io.ErrUnexpectedEOF)
				return r
			},
		})
		begun := time.Now()
		resp, err := kit.Get(t.Context(), transport, kit.URL)
		require.NoError(t, err)
		require.Equal(t, 250*time.Millisecond, time.Since(begun))
		require.Equal(t, text, kit.ReadAll(t, resp))
		require.Equal(t, "abc", resp.Trailer.Get("Checksum"))
	})
}

// An endingBody calls end with the last Read, when net/http sets the trailer.
type endingBody struct {
	io.ReadCloser
	end func()
}

func (b *endingBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		b.end()
	}
	return n, err
}
