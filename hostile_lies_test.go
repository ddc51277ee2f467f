package headway_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/validate"
)

// realTime is a time whose seconds since 1970 do not pass for a delay, as those
// of 2000, when bubbles begin, do.
var realTime = time.Date(2030, time.January, 1, 0, 0, 0, 0, time.UTC)

// A reset that is over when it arrives is no wait, whatever is left.
func TestResetInThePast(t *testing.T) {
	for _, name := range []string{"X-RateLimit-", "X-Rate-Limit-", "RateLimit-"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(time.Until(realTime))
				past := strconv.FormatInt(time.Now().Add(-time.Hour).Unix(), 10)
				header := fields(name+"Limit", "10", name+"Remaining", "0", name+"Reset", past)
				server := always(http.StatusOK, header)
				transport := &headway.Transport{Base: server}
				first(t, transport, http.StatusOK, header)
				started := time.Now()
				require.NoError(t, errors.Join(crowd(t.Context(), transport, 40)...))
				require.Equal(t, 4*server.latency, time.Since(started), "as if there were no header")
			})
		})
	}
}

// A server whose clock is wrong is read by its own Date.
func TestDateAnHourOff(t *testing.T) {
	for _, skew := range []time.Duration{-time.Hour, time.Hour} {
		t.Run(skew.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(time.Until(realTime))
				date := time.Now().Add(skew)
				header := fields("Date", date.UTC().Format(http.TimeFormat), "X-RateLimit-Limit", "10",
					"X-RateLimit-Remaining", "0", "X-RateLimit-Reset", strconv.FormatInt(date.Add(20*time.Second).Unix(), 10))
				server := &hostileServer{answer: func(n int, _ *http.Request) *http.Response {
					if n == 0 {
						return reply(http.StatusOK, header)
					}
					return reply(http.StatusOK, nil)
				}}
				transport := &headway.Transport{Base: server}
				first(t, transport, http.StatusOK, header)
				started := time.Now()
				first(t, transport, http.StatusOK, nil)
				require.GreaterOrEqual(t, time.Since(started), 20*time.Second)
				require.LessOrEqual(t, time.Since(started), time.Minute)
			})
		})
	}
}

// A Retry-After of 292 years is one of Bounds.MaxReset: the refusal is handed
// back and the next requests are refused at once, until that time has passed.
func TestRetryAfterOf292Years(t *testing.T) {
	for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable, http.StatusForbidden} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				header := fields("Retry-After", years292)
				server := &hostileServer{answer: func(n int, _ *http.Request) *http.Response {
					if n == 0 {
						return reply(status, header)
					}
					return reply(http.StatusOK, nil)
				}}
				transport := &headway.Transport{Base: server}
				started := time.Now()
				first(t, transport, status, header)
				err := fetch(t.Context(), transport)
				require.Equal(t, started, time.Now(), "neither waits")
				var limit *headway.LimitError
				require.ErrorAs(t, err, &limit)
				require.ErrorIs(t, err, headway.ErrMaxWait)
				require.GreaterOrEqual(t, limit.Wait, validate.DefaultMaxReset)
				require.LessOrEqual(t, limit.Wait, validate.DefaultMaxReset+time.Second, "clients come back within a second")
				require.Equal(t, started.Add(limit.Wait), limit.RetryAt)

				time.Sleep(limit.Wait - headway.DefaultMaxWait - time.Second)
				err = fetch(t.Context(), transport)
				require.ErrorIs(t, err, headway.ErrMaxWait, "still too long")
				time.Sleep(headway.DefaultMaxWait/2 + time.Second)
				first(t, transport, http.StatusOK, nil)
				require.GreaterOrEqual(t, time.Since(started), validate.DefaultMaxReset, "never earlier than told")
				require.Equal(t, 2, server.sent())
			})
		})
	}
}

// A server that changes its dialect, its numbers or the names of its limits with
// every response is still paced, and only so many limits are kept of it.
func TestLimitsThatChange(t *testing.T) {
	for _, test := range []struct {
		name   string
		header func(n int) http.Header
	}{
		{"dialects", func(n int) http.Header { return hostileFamilies[n%5].header("10", "9", "60", "60") }},
		{"dialects and numbers", func(n int) http.Header { return hostileFamilies[n%5].header(strconv.Itoa(5+n%6), "4", "60", "60") }},
		{"names", func(n int) http.Header {
			name := fmt.Sprintf(`"policy %d"`, n)
			return fields("RateLimit", name+";r=9;t=60", "RateLimit-Policy", name+";q=10;w=60")
		}},
		{"many names", func(n int) http.Header {
			h := http.Header{}
			for i := range 2 * validate.MaxLimits {
				name := fmt.Sprintf(`"policy %d.%d"`, n, i)
				h.Add("RateLimit", name+";r=9;t=60")
				h.Add("RateLimit-Policy", name+";q=10;w=60")
			}
			return h
		}},
		{"partition keys", func(n int) http.Header {
			return fields("RateLimit", fmt.Sprintf(`"a";r=9;t=60;pk="%d"`, n), "RateLimit-Policy", `"a";q=10;w=60`)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &hostileServer{latency: 10 * time.Millisecond, answer: func(n int, _ *http.Request) *http.Response {
					return reply(http.StatusOK, test.header(n))
				}}
				transport := &headway.Transport{Base: server}
				started := time.Now()
				require.NoError(t, errors.Join(crowd(t.Context(), transport, 60)...))
				require.LessOrEqual(t, server.arrived(started, time.Second), 5, "one, and a burst of a quarter of 10, and one more")
				require.LessOrEqual(t, server.busiest(started, time.Minute), 21, "twice the quota, and one at the edge")
				require.Len(t, transport.State(), 1)
				require.LessOrEqual(t, len(transport.State()[0].Limits), 24)
			})
		})
	}
}

// A 429 for ever is handed back after MaxRetries, and the resends wait longer
// and longer, though each is told to wait for a second.
func TestRefusedForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &hostileServer{answer: func(n int, _ *http.Request) *http.Response {
			return reply(http.StatusTooManyRequests, fields("Retry-After", "1", "X-Request", strconv.Itoa(n)))
		}}
		transport := &headway.Transport{Base: server, MaxRetries: 5}
		started := time.Now()
		first(t, transport, http.StatusTooManyRequests, fields("Retry-After", "1", "X-Request", "5"))
		require.Equal(t, 6, server.sent())
		require.GreaterOrEqual(t, server.gap(1), time.Second)
		require.Greater(t, server.gap(5), 2*server.gap(1))
		require.LessOrEqual(t, time.Since(started), 30*time.Second)
	})
}

// A loop of redirects between two origins ends as in any http.Client, and each
// origin has a partition of its own.
func TestRedirectLoopAcrossOrigins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hosts := []string{"a.example", "b.example"}
		server := &hostileServer{answer: func(n int, _ *http.Request) *http.Response {
			resp := reply(http.StatusFound, fields("Location", "https://"+hosts[(n+1)%2]+"/", "RateLimit", `"a";r=0;t=1`, "RateLimit-Policy", `"a";q=1;w=1`))
			resp.Body = io.NopCloser(strings.NewReader(""))
			return resp
		}}
		transport := &headway.Transport{Base: server}
		started := time.Now()
		resp, err := (&http.Client{Transport: transport}).Get("https://" + hosts[0] + "/")
		require.ErrorContains(t, err, "stopped after 10 redirects")
		require.NoError(t, resp.Body.Close())
		require.Equal(t, 10, server.sent())
		require.Len(t, transport.State(), 2)
		require.GreaterOrEqual(t, time.Since(started), 4*time.Second, "five times one a second")
		require.LessOrEqual(t, time.Since(started), 20*time.Second)
	})
}
