package ratelimittest_test

import (
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

// A client sees the same effect of each fault over HTTP and in memory.
func TestFaults(t *testing.T) {
	whole := sighting{Status: "200 OK", Header: http.Header{"Content-Length": {"11"}, "Content-Type": {plain}}, Length: 11, Body: "hello world"}
	pieces := sighting{Status: "200 OK", Header: http.Header{"Content-Type": {plain}}, Length: -1, Encoding: chunked, Body: "hello world"}
	cut := func(body string) sighting {
		s := pieces
		s.Body, s.Err = body, io.ErrUnexpectedEOF
		return s
	}
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html></html>") })
	nothing := sighting{Status: "200 OK", Header: http.Header{"Content-Length": {"0"}}}
	head := whole
	head.Body = ""
	tests := []struct {
		name   string
		fault  ratelimittest.Fault
		next   http.Handler
		method string
		want   sighting
	}{
		{"a bare refusal", ratelimittest.BareRefusal(), hello, "GET", sighting{Status: "429 Too Many Requests", Header: http.Header{"Content-Length": {"0"}}}},
		{"unavailable", ratelimittest.Unavailable(1500 * time.Millisecond), hello, "GET", sighting{
			Status: "503 Service Unavailable", Header: http.Header{"Content-Length": {"0"}, "Retry-After": {"2"}},
		}},
		{"unavailable without Retry-After", ratelimittest.Unavailable(0), hello, "GET", sighting{
			Status: "503 Service Unavailable", Header: http.Header{"Content-Length": {"0"}},
		}},
		{"dropped", ratelimittest.Drop(), hello, "GET", sighting{Failed: true}},
		{"cut off at once", ratelimittest.CutOff(-1), hello, "GET", cut("")},
		{"cut off within a write", ratelimittest.CutOff(3), hello, "GET", cut("hel")},
		{"cut off between writes", ratelimittest.CutOff(6), hello, "GET", cut("hello ")},
		{"cut off after the end", ratelimittest.CutOff(11), hello, "GET", whole},
		{"cut off, no body", ratelimittest.CutOff(0), nil, "GET", nothing},
		{"cut off, HEAD", ratelimittest.CutOff(0), hello, "HEAD", head},
		{"a slow header", ratelimittest.SlowHeader(0), hello, "GET", whole},
		{"a slow header without a body", ratelimittest.SlowHeader(-1), nil, "GET", nothing},
		{"a slow body", ratelimittest.SlowBody(4, 0), hello, "GET", pieces},
		{"a slow body of single bytes", ratelimittest.SlowBody(0, -1), hello, "GET", pieces},
		{"a slow body, HEAD", ratelimittest.SlowBody(4, 0), hello, "HEAD", head},
		{"a slow body that is cut off", func(next http.Handler) http.Handler {
			return ratelimittest.SlowBody(4, 0)(ratelimittest.CutOff(5)(next))
		}, hello, "GET", cut("hello")},
		{"a Content-Type guessed from the bytes that are left", ratelimittest.CutOff(3), page, "GET", cut("<ht")},
		{"a Content-Type guessed from the first piece", ratelimittest.SlowBody(3, 0), page, "GET", sighting{
			Status: "200 OK", Header: http.Header{"Content-Type": {plain}}, Length: -1, Encoding: chunked, Body: "<html></html>",
		}},
		{"never", ratelimittest.When(ratelimittest.Every(0), ratelimittest.Drop()), hello, "GET", whole},
		{"never, no body", ratelimittest.When(ratelimittest.Every(-1), ratelimittest.Drop()), nil, "GET", nothing},
		{"always", ratelimittest.When(ratelimittest.Every(1), ratelimittest.Drop()), hello, "GET", sighting{Failed: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			requireSeen(t, tt.method, tt.want, func() http.Handler { return tt.fault(tt.next) })
		})
	}
}

func TestFaultsThatTakeTime(t *testing.T) {
	early := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusEarlyHints)
		hello(w, r)
	})
	tests := []struct {
		name         string
		fault        ratelimittest.Fault
		next         http.Handler
		header, body time.Duration
	}{
		{"a slow header", ratelimittest.SlowHeader(10 * time.Second), hello, 10 * time.Second, 10 * time.Second},
		{"a slow header after early hints", ratelimittest.SlowHeader(10 * time.Second), early, 10 * time.Second, 10 * time.Second},
		{"a slow header without a body", ratelimittest.SlowHeader(10 * time.Second), nil, 10 * time.Second, 10 * time.Second},
		{"a slow header that was flushed", ratelimittest.SlowHeader(10 * time.Second), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			flush(w)
		}), 10 * time.Second, 10 * time.Second},
		{"a slow body", ratelimittest.SlowBody(2, time.Second), hello, 0, 5 * time.Second}, // he ll o_ wo rl d
		{"a slow body in one piece", ratelimittest.SlowBody(100, time.Second), early, 0, time.Second},
		{"both", func(next http.Handler) http.Handler {
			return ratelimittest.SlowHeader(time.Second)(ratelimittest.SlowBody(2, time.Second)(next))
		}, hello, time.Second, 6 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				resp := open(t, &ratelimittest.Transport{Handler: tt.fault(tt.next)}, t.Context())
				require.Equal(t, tt.header, time.Since(begun))
				_, err := io.Copy(io.Discard, resp.Body)
				require.NoError(t, err)
				require.NoError(t, resp.Body.Close())
				require.Equal(t, tt.body, time.Since(begun))
			})
		})
	}
}

// A slow fault ends when its client leaves.
func TestSlowFaultsEndWithTheirClient(t *testing.T) {
	for name, fault := range map[string]ratelimittest.Fault{
		"a slow header": ratelimittest.SlowHeader(time.Hour),
		"a slow body":   ratelimittest.SlowBody(1, time.Hour),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				var returned time.Duration
				next := fault(hello)
				client := &http.Client{Timeout: time.Minute, Transport: away(func(w http.ResponseWriter, r *http.Request) {
					next.ServeHTTP(w, r)
					returned = time.Since(begun)
				})}
				outcomes := ratelimittest.Batch{Requests: 1}.Send(client, newRequest(t, "GET", "http://api.test/", nil))
				require.Error(t, outcomes[0].Err)
				synctest.Wait()
				require.Equal(t, time.Minute, returned)
			})
		})
	}
}

func TestVictims(t *testing.T) {
	seeded := func(p float64) func(*http.Request) bool {
		return ratelimittest.Chance(rand.New(rand.NewPCG(1, 2)), p)
	}
	tests := []struct {
		name   string
		victim func(*http.Request) bool
		want   string
	}{
		{"every third", ratelimittest.Every(3), "--x--x--x-"},
		{"every", ratelimittest.Every(1), "xxxxxxxxxx"},
		{"every zeroth", ratelimittest.Every(0), "----------"},
		{"never", seeded(0), "----------"},
		{"always", seeded(1), "xxxxxxxxxx"},
		{"by chance", seeded(0.5), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			draw := func(victim func(*http.Request) bool) string {
				var drawn strings.Builder
				for range 10 {
					if victim(nil) {
						drawn.WriteByte('x')
					} else {
						drawn.WriteByte('-')
					}
				}
				return drawn.String()
			}
			got := draw(tt.victim)
			if tt.want == "" {
				tt.want = draw(seeded(0.5)) // the same seed chooses the same requests
				require.Contains(t, got, "x")
				require.Contains(t, got, "-")
			}
			require.Equal(t, tt.want, got)
		})
	}
}

// The limiter does not count a request that a fault in front of it takes, and counts one that a fault behind
// it takes.
func TestFaultsInFrontOfAndBehindTheLimiter(t *testing.T) {
	type line struct {
		allowed bool
		status  int
	}
	limiter := func() *ratelimittest.Handler {
		return ratelimittest.NewHandler(ratelimittest.NewFixedWindow(3, time.Minute), ratelimittest.Draft10)
	}
	tests := []struct {
		name      string
		fault     ratelimittest.Fault
		behind    bool
		remaining string // the RateLimit field of the second of two responses
		log       []line
	}{
		{"refused in front", ratelimittest.BareRefusal(), false, "", []line{{true, 200}}},
		{"refused behind", ratelimittest.BareRefusal(), true, "", []line{{true, 200}, {true, 429}}},
		{"unavailable in front", ratelimittest.Unavailable(time.Second), false, "", []line{{true, 200}}},
		{"unavailable behind", ratelimittest.Unavailable(time.Second), true, `"default";r=1;t=60`, []line{{true, 200}, {true, 503}}},
		{"dropped in front", ratelimittest.Drop(), false, "", []line{{true, 200}}},
		{"dropped behind", ratelimittest.Drop(), true, "", []line{{true, 200}, {true, 0}}},
		{"slow in front", ratelimittest.SlowHeader(time.Second), false, `"default";r=1;t=60`, []line{{true, 200}, {true, 200}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := limiter()
				var server http.Handler = h
				fault := ratelimittest.When(ratelimittest.Every(2), tt.fault)
				if tt.behind {
					h.Next = fault(nil)
				} else {
					server = fault(h)
				}
				tr := &ratelimittest.Transport{Handler: server}
				require.False(t, look(t, tr, "GET", "http://api.test/", nil).Failed)
				second := look(t, tr, "GET", "http://api.test/", nil)
				require.Equal(t, tt.remaining, second.Header.Get("RateLimit"))
				var log []line
				for _, a := range h.Log.Arrivals() {
					log = append(log, line{a.Allowed, a.Status})
				}
				require.Equal(t, tt.log, log)
			})
		})
	}
}
