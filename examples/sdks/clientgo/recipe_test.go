package clientgo_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"sync"
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
	const workers, each = 4, 12
	api := sdktest.Serve(t, ratelimittest.NewTokenBucket(30, time.Second), ratelimittest.Silent)
	api.Handler.RetryAfter = ratelimittest.Silent
	api.Handler.Next = sdktest.JSON(http.StatusOK, configMap)
	api.Handler.Refuse = tooMany("1")
	maps, calls := counted(t, &rest.Config{Host: api.URL, BearerToken: "token"}, clientgo.Transport)

	errs := make(chan error, workers*each)
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for range each {
				errs <- get(context.Background(), maps)
			}
		})
	}
	group.Wait()
	close(errs)
	for err := range errs {
		require.NoError(t, err)
	}
	arrivals := api.Handler.Log.Arrivals()
	require.Len(t, arrivals.Allowed(), workers*each)
	require.LessOrEqual(t, len(arrivals.Refused()), 2*workers)
	require.Equal(t, workers*each, calls.Calls())
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
				server := &recorder{next: sdktest.First(row.refused, row.refuse, sdktest.JSON(http.StatusOK, configMap))}
				maps, calls := counted(t, &rest.Config{Host: host, Transport: &ratelimittest.Transport{Handler: server}}, clientgo.Transport)
				err := row.call(t.Context(), maps)
				require.Equal(t, row.refused > 1, apierrors.IsTooManyRequests(err), "%v", err)
				require.Equal(t, row.refused > 1, err != nil)
				require.Equal(t, row.calls, calls.Calls())
				require.Len(t, server.bodies, row.sent)
				for _, body := range server.bodies {
					require.Equal(t, server.bodies[0], body)
				}
			})
		})
	}
}

// client-go returns headway's own refusals to its user, and does not retry.
func TestOwnRefusal(t *testing.T) {
	soon := func(ctx context.Context) (context.Context, context.CancelFunc) {
		return context.WithTimeout(ctx, time.Minute)
	}
	for _, row := range []struct {
		name    string
		call    func(context.Context, *typed.CoreV1Client) error
		maxWait time.Duration
		bound   func(context.Context) (context.Context, context.CancelFunc)
		reason  error
	}{
		{"MaxWait", get, time.Minute, context.WithCancel, headway.ErrMaxWait},
		{"MaxWait, a watch", watch, time.Minute, context.WithCancel, headway.ErrMaxWait},
		{"a deadline", get, 0, soon, context.DeadlineExceeded},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &recorder{next: tooMany("3600")}
				maps, calls := counted(t, &rest.Config{Host: host, Transport: &ratelimittest.Transport{Handler: server}}, func(base http.RoundTripper) http.RoundTripper {
					return &headway.Transport{Base: base, Partition: clientgo.ByUser, MaxWait: row.maxWait}
				})
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				require.Error(t, get(ctx, maps), "refused for an hour")
				calls.Reset()

				start := time.Now()
				ctx, cancel = row.bound(t.Context())
				defer cancel()
				err := row.call(ctx, maps)
				var limit *headway.LimitError
				require.ErrorAs(t, err, &limit)
				require.ErrorIs(t, err, row.reason)
				require.Zero(t, time.Since(start))
				require.Equal(t, 1, calls.Calls())
				require.Len(t, server.bodies, 1)
			})
		})
	}
}

// A watch must not have a deadline. If headway refuses a watch because of its deadline, client-go takes that
// as a timeout of the watch. It retries ten times, a second apart, and returns an empty watch.
func TestWatchWithDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &recorder{next: tooMany("3600")}
		maps, calls := counted(t, &rest.Config{Host: host, Transport: &ratelimittest.Transport{Handler: server}}, clientgo.Transport)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.Error(t, get(ctx, maps), "refused for an hour")
		calls.Reset()

		ctx, cancel = context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		require.NoError(t, watch(ctx, maps))
		require.Equal(t, 11, calls.Calls())
		require.Len(t, server.bodies, 1)
	})
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
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				require.Error(t, get(ctx, maps), "refused for ten minutes")
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
		evictions := &recorder{next: sdktest.JSON(http.StatusTooManyRequests, noBudget)}
		mux.Handle("POST /api/v1/namespaces/default/pods/pod/eviction", evictions)
		maps, _ := counted(t, &rest.Config{Host: host, Transport: &ratelimittest.Transport{Handler: mux}}, clientgo.Transport)
		start := time.Now()
		require.True(t, apierrors.IsTooManyRequests(evict(t.Context(), maps)))
		require.NoError(t, get(t.Context(), maps))
		require.Zero(t, time.Since(start))
		require.Len(t, evictions.bodies, 1)
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
