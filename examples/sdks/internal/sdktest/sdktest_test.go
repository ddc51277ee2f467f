package sdktest_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/examples/sdks/internal/sdktest"
	"github.com/headway-go/headway/ratelimittest"
)

func TestCounter(t *testing.T) {
	h := &ratelimittest.Handler{Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(2, time.Minute)}, Dialect: ratelimittest.Trio}
	h.Next = sdktest.First(1, sdktest.JSON(http.StatusTeapot, "{}", "X-Pot", "tea"), sdktest.JSON(http.StatusOK, `{"a":1}`))
	calls := &sdktest.Counter{Base: &ratelimittest.Transport{Handler: h}}
	client := &http.Client{Transport: calls}
	for _, want := range []struct {
		status    int
		pot, body string
	}{
		{status: http.StatusTeapot, pot: "tea", body: "{}"},
		{status: http.StatusOK, body: `{"a":1}`},
		{status: http.StatusTooManyRequests, body: "rate limit reached\n"},
	} {
		resp, err := client.Get("http://api.example/things")
		require.NoError(t, err)
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.Equal(t, want.status, resp.StatusCode)
		require.Equal(t, want.pot, resp.Header.Get("X-Pot"))
		require.Equal(t, want.body, string(body))
	}
	require.Equal(t, 3, calls.Calls())
	calls.Reset()
	require.Zero(t, calls.Calls())
}

func TestServe(t *testing.T) {
	srv := sdktest.Serve(t, &ratelimittest.FixedWindow{Policy: ratelimittest.Per(1, time.Minute)}, ratelimittest.Draft10)
	srv.Handler.Refuse = sdktest.JSON(http.StatusForbidden, `{"message":"no"}`)
	calls := &sdktest.Counter{}
	for _, want := range []int{http.StatusOK, http.StatusForbidden} {
		resp, err := (&http.Client{Transport: calls}).Get(srv.URL)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.Equal(t, want, resp.StatusCode)
	}
	require.Equal(t, 2, calls.Calls())
}

func TestJSONWithoutAValue(t *testing.T) {
	fields := []string{"Retry-After", "1", "Date"}
	require.PanicsWithValue(t, "sdktest: a field without a value: Date", func() { sdktest.JSON(http.StatusOK, "", fields...) })
}

func TestJournal(t *testing.T) {
	echo := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) })
	server := &sdktest.Journal{Next: echo}
	client := &http.Client{Transport: &ratelimittest.Transport{Handler: server}}
	for _, text := range []string{"one", "", "three"} {
		resp, err := client.Post("http://api.example/things", "text/plain", strings.NewReader(text))
		require.NoError(t, err)
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.Equal(t, text, string(body))
	}
	require.Equal(t, []string{"one", "", "three"}, server.Bodies)
	require.Len(t, server.Times, 3)
	require.Equal(t, "text/plain", server.Headers[2].Get("Content-Type"))
}
