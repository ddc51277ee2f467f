package hostile

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/ratelimittest"
	"github.com/headway-go/headway/validate"
)

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
				err := kit.Fetch(t.Context(), transport, kit.ServerURL)
				require.Equal(t, started, time.Now(), "neither waits")
				var limit *headway.LimitError
				require.ErrorAs(t, err, &limit)
				require.ErrorIs(t, err, headway.ErrMaxWait)
				require.GreaterOrEqual(t, limit.Wait, validate.DefaultMaxReset)
				require.LessOrEqual(t, limit.Wait, validate.DefaultMaxReset+time.Second, "clients come back within a second")
				require.Equal(t, started.Add(limit.Wait), limit.RetryAt)

				time.Sleep(limit.Wait - headway.DefaultMaxWait - time.Second)
				err = kit.Fetch(t.Context(), transport, kit.ServerURL)
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

// Responses from gateways and caches do not release the requests that wait for a limit.
func TestAnswersOfOthersOpenNoFloodgate(t *testing.T) {
	for _, row := range []struct {
		name   string
		status int
		header http.Header
	}{
		{"error of a gateway", http.StatusBadGateway, http.Header{}},
		{"not found", http.StatusNotFound, http.Header{}},
		{"cached, without limits", http.StatusOK, http.Header{"Age": {"10"}}},
		{"cached, with limits", http.StatusOK, http.Header{"Age": {"10"}, "Ratelimit": {`"default";r=33;t=33`}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &ratelimittest.Handler{Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(60, time.Minute)}, Dialect: ratelimittest.Draft10}
				both := http.NewServeMux()
				both.Handle("/things", server)
				both.HandleFunc("/other", func(w http.ResponseWriter, _ *http.Request) {
					maps.Copy(w.Header(), row.header)
					w.WriteHeader(row.status)
				})
				client := &http.Client{Transport: kit.Seeded(t, &headway.Transport{
					Base: &ratelimittest.Transport{Handler: both, Latency: 50 * time.Millisecond},
				})}
				things := kit.NewRequest(t, kit.URL)
				other := things.Clone(t.Context())
				other.URL.Path = "/other"
				ratelimittest.Batch{Requests: 5}.Send(client, things)
				ratelimittest.Batch{Requests: 4}.Send(client, other)

				begun := time.Now()
				ratelimittest.Batch{Requests: 100, Workers: 100}.Send(client, things)
				require.Empty(t, server.Arrivals().Refused())
				require.LessOrEqual(t, server.Arrivals().Between(begun, time.Now()).Busiest(time.Second), 12)
			})
		})
	}
}
