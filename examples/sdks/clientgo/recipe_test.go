package clientgo_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	typed "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"

	"github.com/headway-go/headway/examples/sdks/clientgo"
	"github.com/headway-go/headway/examples/sdks/internal/sdktest"
	"github.com/headway-go/headway/ratelimittest"
)

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
		{"a write", create, tooMany("1"), 1, 1, 2},
		{"nothing but refusals", create, tooMany("1"), 100, 1, 4},
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

// client-go's own limiter would delay requests that the server allows.
func TestClientGosLimiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := &ratelimittest.Transport{Handler: sdktest.JSON(http.StatusOK, configMap)}
		maps := client(t, clientgo.Config(&rest.Config{Host: host, Transport: network}, clientgo.Transport))
		start := time.Now()
		for range 30 {
			require.NoError(t, get(t.Context(), maps))
		}
		require.LessOrEqual(t, time.Since(start), 100*time.Millisecond)
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
