package hostile

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
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/validate"
)

// After a reset in the past the window is taken for a second at most, even with no remaining quota.
func TestResetInThePast(t *testing.T) {
	for _, name := range []string{"X-RateLimit-", "X-Rate-Limit-", "RateLimit-"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(time.Until(kit.Epoch()))
				past := strconv.FormatInt(time.Now().Add(-time.Hour).Unix(), 10)
				header := kit.Fields(name+"Limit", "10", name+"Remaining", "0", name+"Reset", past)
				server := kit.Always(http.StatusOK, header)
				transport := kit.Seeded(t, &headway.Transport{Base: server})
				first(t, transport, http.StatusOK, header)
				started := time.Now()
				require.NoError(t, errors.Join(kit.Crowd(t.Context(), transport, 40)...))
				require.Less(t, time.Since(started), 5*time.Second, "ten per second")
			})
		})
	}
}

// A server's resets are compared with its own Date, even if its clock is wrong.
func TestDateAnHourOff(t *testing.T) {
	for _, skew := range []time.Duration{-time.Hour, time.Hour} {
		t.Run(skew.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(time.Until(kit.Epoch()))
				date := time.Now().Add(skew)
				header := kit.Fields("Date", date.UTC().Format(http.TimeFormat), "X-RateLimit-Limit", "10",
					"X-RateLimit-Remaining", "0", "X-RateLimit-Reset", strconv.FormatInt(date.Add(20*time.Second).Unix(), 10))
				server := &kit.Server{Answer: func(n int, _ *http.Request) *http.Response {
					if n == 0 {
						return kit.Reply(http.StatusOK, header)
					}
					return kit.Reply(http.StatusOK, nil)
				}}
				transport := kit.Seeded(t, &headway.Transport{Base: server})
				first(t, transport, http.StatusOK, header)
				started := time.Now()
				first(t, transport, http.StatusOK, nil)
				require.GreaterOrEqual(t, time.Since(started), 20*time.Second)
				require.LessOrEqual(t, time.Since(started), time.Minute)
			})
		})
	}
}

// A Retry-After of 292 years counts as Bounds.MaxReset. The refusal is handed back, and later requests
// are refused at once, until that time has passed.
func TestRetryAfterOf292Years(t *testing.T) {
	for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable, http.StatusForbidden} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				header := kit.Fields("Retry-After", years292)
				server := &kit.Server{Answer: func(n int, _ *http.Request) *http.Response {
					if n == 0 {
						return kit.Reply(status, header)
					}
					return kit.Reply(http.StatusOK, nil)
				}}
				transport := kit.Seeded(t, &headway.Transport{Base: server})
				started := time.Now()
				first(t, transport, status, header)
				err := kit.Fetch(t.Context(), transport)
				require.Equal(t, started, time.Now(), "neither waits")
				var limit *headway.LimitError
				require.ErrorAs(t, err, &limit)
				require.ErrorIs(t, err, headway.ErrMaxWait)
				require.GreaterOrEqual(t, limit.Wait, validate.DefaultMaxReset)
				require.LessOrEqual(t, limit.Wait, validate.DefaultMaxReset+time.Second, "clients come back within a second")
				require.Equal(t, started.Add(limit.Wait), limit.RetryAt)

				time.Sleep(limit.Wait - headway.DefaultMaxWait - time.Second)
				err = kit.Fetch(t.Context(), transport)
				require.ErrorIs(t, err, headway.ErrMaxWait, "still too long")
				time.Sleep(headway.DefaultMaxWait/2 + time.Second)
				first(t, transport, http.StatusOK, nil)
				require.GreaterOrEqual(t, time.Since(started), validate.DefaultMaxReset, "never earlier than told")
				require.Equal(t, 2, server.Sent())
			})
		})
	}
}

// A server that changes its dialect, numbers or names with every response is still paced, and the
// number of its limits stays bounded.
func TestLimitsThatChange(t *testing.T) {
	for _, test := range []struct {
		name   string
		header func(n int) http.Header
	}{
		{"dialects", func(n int) http.Header { return hostileFamilies[n%5].header("10", "9", "60", "60") }},
		{"dialects and numbers", func(n int) http.Header { return hostileFamilies[n%5].header(strconv.Itoa(5+n%6), "4", "60", "60") }},
		{"names", func(n int) http.Header {
			name := fmt.Sprintf(`"policy %d"`, n)
			return kit.Fields("RateLimit", name+";r=9;t=60", "RateLimit-Policy", name+";q=10;w=60")
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
			return kit.Fields("RateLimit", fmt.Sprintf(`"a";r=9;t=60;pk="%d"`, n), "RateLimit-Policy", `"a";q=10;w=60`)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &kit.Server{Latency: 10 * time.Millisecond, Answer: func(n int, _ *http.Request) *http.Response {
					return kit.Reply(http.StatusOK, test.header(n))
				}}
				transport := kit.Seeded(t, &headway.Transport{Base: server})
				started := time.Now()
				require.NoError(t, errors.Join(kit.Crowd(t.Context(), transport, 60)...))
				require.LessOrEqual(t, server.Arrived(started, time.Second), 5, "one, and a burst of a quarter of 10, and one more")
				require.LessOrEqual(t, server.Busiest(started, time.Minute), 21, "twice the quota, and one at the edge")
				require.Len(t, transport.State(), 1)
				require.LessOrEqual(t, len(transport.State()[0].Limits), 24)
			})
		})
	}
}

// An endless 429 is handed back after MaxRetries. The resends wait longer and longer, although each
// Retry-After is a second.
func TestRefusedForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &kit.Server{Answer: func(n int, _ *http.Request) *http.Response {
			return kit.Reply(http.StatusTooManyRequests, kit.Fields("Retry-After", "1", "X-Request", strconv.Itoa(n)))
		}}
		transport := kit.Seeded(t, &headway.Transport{Base: server, MaxRetries: 5})
		started := time.Now()
		first(t, transport, http.StatusTooManyRequests, kit.Fields("Retry-After", "1", "X-Request", "5"))
		require.Equal(t, 6, server.Sent())
		require.GreaterOrEqual(t, server.Gap(1), time.Second)
		require.Greater(t, server.Gap(5), server.Gap(1)+time.Second/2)
		require.LessOrEqual(t, time.Since(started), 30*time.Second)
	})
}

// A loop of redirects between two origins ends as in any http.Client. Each origin has its own
// partition.
func TestRedirectLoopAcrossOrigins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hosts := []string{"a.example", "b.example"}
		server := &kit.Server{Answer: func(n int, _ *http.Request) *http.Response {
			resp := kit.Reply(http.StatusFound, kit.Fields("Location", "https://"+hosts[(n+1)%2]+"/", "RateLimit", `"a";r=0;t=1`, "RateLimit-Policy", `"a";q=1;w=1`))
			resp.Body = io.NopCloser(strings.NewReader(""))
			return resp
		}}
		transport := kit.Seeded(t, &headway.Transport{Base: server})
		started := time.Now()
		resp, err := (&http.Client{Transport: transport}).Get("https://" + hosts[0] + "/")
		require.ErrorContains(t, err, "stopped after 10 redirects")
		require.NoError(t, resp.Body.Close())
		require.Equal(t, 10, server.Sent())
		require.Len(t, transport.State(), 2)
		require.GreaterOrEqual(t, time.Since(started), 4*time.Second, "five times one a second")
		require.LessOrEqual(t, time.Since(started), 20*time.Second)
	})
}
