package depot_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/examples/sdk/depot"
	"github.com/headway-go/headway/ratelimittest"
)

// The whole SDK works over real HTTP. There is enough quota, so nothing waits.
func TestOverHTTP(t *testing.T) {
	srv := ratelimittest.NewServer(&ratelimittest.FixedWindow{Policy: ratelimittest.Per(1000, time.Minute)}, ratelimittest.Trio)
	defer srv.Close()
	srv.Handler.Next = newAPI(25)
	client := depot.New("token", depot.WithBaseURL(srv.URL), depot.WithHTTPClient(srv.Client()))

	created, err := client.Items.Create(t.Context(), depot.Item{Name: "nut", Count: 7})
	require.NoError(t, err)
	got, err := client.Items.Get(t.Context(), created.ID)
	require.NoError(t, err)
	require.Equal(t, depot.Item{ID: "25", Name: "nut", Count: 7}, got)

	var listed []depot.Item
	for item, err := range client.Items.List(t.Context()) {
		require.NoError(t, err)
		listed = append(listed, item)
	}
	require.Len(t, listed, 26)
	require.Equal(t, created, listed[25])

	_, err = client.Items.Get(t.Context(), "26")
	require.Equal(t, &depot.Error{Status: http.StatusNotFound, Code: "not_found", Message: "no such item"}, err)

	arrivals := srv.Handler.Arrivals()
	require.Len(t, arrivals, 6, "three pages")
	require.Len(t, arrivals.Allowed(), 6)
	require.Equal(t, "Bearer token", arrivals[0].Client)
}

// An error ends a list.
func TestListEndsWithAnError(t *testing.T) {
	client := depot.New("token", depot.WithHTTPClient(&http.Client{
		Transport: &ratelimittest.Transport{Handler: ratelimittest.Respond(http.StatusBadGateway, "rate limit reached")},
	}))
	var errs []error
	for _, err := range client.Items.List(t.Context()) {
		errs = append(errs, err)
	}
	require.Equal(t, []error{&depot.Error{Status: http.StatusBadGateway, Message: "Bad Gateway"}}, errs)
}

// A *headway.Transport of the caller is used as it is, with its fields. A second one on top of it would send
// requests again that the caller's does not.
func TestCallersTransportIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &ratelimittest.Handler{Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(0, time.Minute)}, Dialect: ratelimittest.Draft10}
		theirs := &headway.Transport{Base: &ratelimittest.Transport{Handler: h}, MaxRetries: -1}
		client := depot.New("token", depot.WithHTTPClient(&http.Client{Transport: theirs}))
		_, err := client.Items.Get(t.Context(), "0")
		require.Equal(t, &depot.Error{Status: http.StatusTooManyRequests, Message: "Too Many Requests"}, err)
		require.Len(t, h.Arrivals().Refused(), 1)
	})
}
