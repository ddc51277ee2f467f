package clientgo_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	typed "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/examples/sdks/clientgo"
	"github.com/headway-go/headway/examples/sdks/internal/sdktest"
	"github.com/headway-go/headway/ratelimittest"
)

// The server reports only Retry-After, and gets more requests than it allows at once. All calls succeed,
// after some refusals.
func TestRecipe(t *testing.T) {
	api := sdktest.Serve(t, &ratelimittest.TokenBucket{Policy: ratelimittest.Per(30, time.Second)}, ratelimittest.Silent)
	api.Handler.RetryAfter = ratelimittest.Silent
	api.Handler.Next = sdktest.JSON(http.StatusOK, configMap)
	api.Handler.Refuse = tooMany("1")
	maps, calls := counted(t, &rest.Config{Host: api.URL, BearerToken: "token"}, clientgo.Transport)

	sdktest.Crowd{Calls: 48, Workers: 4, Refused: 8}.RequireServed(t, calls, func(ctx context.Context) error { return get(ctx, maps) }, api.Handler)
}

// Only headway sends a refused request again, with its body. client-go retries as usual after other failures,
// and after refusals of requests that headway may not send again.
func TestSingleRetryOwner(t *testing.T) {
	unavailable := sdktest.JSON(http.StatusServiceUnavailable, "{}", "Retry-After", "1")
	for _, row := range []struct {
		name    string
		call    func(context.Context, *typed.CoreV1Client) error
		refuse  http.Handler
		refused int64
		calls   int
		sent    int
	}{
		{"a read", get, tooMany("1"), 1, 1, 2},
		{"a write", create, tooMany("1"), 1, 1, 2},
		{"nothing but refusals", create, tooMany("1"), 100, 1, 4},
		{"a read, 503", get, unavailable, 1, 1, 2},
		{"a write, 503", create, unavailable, 1, 2, 2},
		{"an eviction", evict, sdktest.JSON(http.StatusTooManyRequests, noBudget, "Retry-After", "10"), 1, 2, 2},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &sdktest.Journal{Next: sdktest.First(row.refused, row.refuse, sdktest.JSON(http.StatusOK, configMap))}
				maps, calls := counted(t, &rest.Config{Host: host, Transport: &ratelimittest.Transport{Handler: server}}, clientgo.Transport)
				err := row.call(t.Context(), maps)
				require.Equal(t, row.refused > 1, apierrors.IsTooManyRequests(err), "%v", err)
				require.Equal(t, row.refused > 1, err != nil)
				require.Equal(t, row.calls, calls.Calls())
				require.Len(t, server.Bodies, row.sent)
				for _, body := range server.Bodies {
					require.Equal(t, server.Bodies[0], body)
				}
			})
		})
	}
}

// requireHeld makes a call that the server refuses for long.
func requireHeld(t *testing.T, maps *typed.CoreV1Client) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	require.Error(t, get(ctx, maps))
}

// A watch that headway refuses fails at once, but it must not have a deadline: client-go takes a refusal because of that as
// a timeout of the watch. It retries ten times, a second apart, and returns an empty watch.
func TestWatch(t *testing.T) {
	for _, row := range []struct {
		name              string
		maxWait, deadline time.Duration
		calls             int
		reason            error
	}{
		{"MaxWait", time.Minute, 2 * time.Hour, 1, headway.ErrMaxWait},
		{"a deadline", 0, time.Minute, 11, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &sdktest.Journal{Next: tooMany("3600")}
				config := &rest.Config{Host: host, Transport: &ratelimittest.Transport{Handler: server}}
				maps, calls := counted(t, config, func(base http.RoundTripper) http.RoundTripper {
					return &headway.Transport{Base: base, Partition: clientgo.ByUser, MaxWait: row.maxWait}
				})
				requireHeld(t, maps)
				calls.Reset()
				ctx, cancel := context.WithTimeout(t.Context(), row.deadline)
				defer cancel()
				require.ErrorIs(t, watch(ctx, maps), row.reason)
				require.Equal(t, row.calls, calls.Calls())
				require.Len(t, server.Bodies, 1)
			})
		})
	}
}

// client-go's own limiter would delay requests that the server allows.
func TestClientGosLimiter(t *testing.T) {
	const calls = 30
	for _, row := range []struct {
		name   string
		config func(*rest.Config) *rest.Config
		least  time.Duration
		most   time.Duration
	}{
		{"with the recipe", func(c *rest.Config) *rest.Config { return clientgo.Config(c, clientgo.Transport) }, 0, 100 * time.Millisecond},
		{"without", func(c *rest.Config) *rest.Config { c.Wrap(clientgo.Transport); return c }, 3 * time.Second, 5 * time.Second},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				maps := client(t, row.config(&rest.Config{Host: host, Transport: &ratelimittest.Transport{Handler: sdktest.JSON(http.StatusOK, configMap)}}))
				start := time.Now()
				for range calls {
					require.NoError(t, get(t.Context(), maps))
				}
				require.GreaterOrEqual(t, time.Since(start), row.least)
				require.LessOrEqual(t, time.Since(start), row.most)
			})
		})
	}
}

// A new token does not make a new partition: a hold outlasts the token.
func TestTokenChanges(t *testing.T) {
	byToken := func(base http.RoundTripper) http.RoundTripper { return &headway.Transport{Base: base} }
	for _, row := range []struct {
		name string
		wrap func(http.RoundTripper) http.RoundTripper
		held bool
	}{
		{"with the recipe", clientgo.Transport, true},
		{"without", byToken, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "token")
			require.NoError(t, os.WriteFile(file, []byte("first"), 0o600))
			synctest.Test(t, func(t *testing.T) {
				answers := sdktest.First(1, tooMany("600"), sdktest.JSON(http.StatusOK, configMap))
				maps, _ := counted(t, &rest.Config{Host: host, BearerTokenFile: file, Transport: &ratelimittest.Transport{Handler: answers}}, row.wrap)
				start := time.Now()
				requireHeld(t, maps)
				require.NoError(t, os.WriteFile(file, []byte("second"), 0o600))
				time.Sleep(2 * time.Minute) // client-go reads the file once a minute
				require.NoError(t, get(t.Context(), maps))
				require.Equal(t, row.held, time.Since(start) >= 10*time.Minute, "%v", time.Since(start))
			})
		})
	}
}

// A disruption budget also refuses with 429. That does not affect other requests.
func TestEviction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mux := http.NewServeMux()
		mux.Handle("/", sdktest.JSON(http.StatusOK, configMap))
		evictions := &sdktest.Journal{Next: sdktest.JSON(http.StatusTooManyRequests, noBudget)}
		mux.Handle("POST /api/v1/namespaces/default/pods/pod/eviction", evictions)
		maps, _ := counted(t, &rest.Config{Host: host, Transport: &ratelimittest.Transport{Handler: mux}}, clientgo.Transport)
		start := time.Now()
		require.True(t, apierrors.IsTooManyRequests(evict(t.Context(), maps)))
		require.NoError(t, get(t.Context(), maps))
		require.Zero(t, time.Since(start))
		require.Len(t, evictions.Bodies, 1)
	})
}

// Impersonated users have limits of their own.
func TestImpersonation(t *testing.T) {
	as := func(user string) *http.Request {
		req, err := http.NewRequest(http.MethodGet, host, nil)
		require.NoError(t, err)
		if user != "" {
			req.Header.Set("Impersonate-User", user)
		}
		return req
	}
	require.Equal(t, "cluster.example", clientgo.ByUser(as("")))
	require.NotEqual(t, clientgo.ByUser(as("ada")), clientgo.ByUser(as("")))
	require.NotEqual(t, clientgo.ByUser(as("ada")), clientgo.ByUser(as("bob")))
}
