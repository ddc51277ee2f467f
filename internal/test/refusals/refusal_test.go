package refusals

import (
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
)

func TestRefuseWithResponse(t *testing.T) {
	for _, test := range []struct {
		name    string
		timeout time.Duration // the http.Client's, which wraps the body if it is set
	}{
		{name: "plain"},
		{name: "with a timeout", timeout: 10 * time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				base := kit.InTurn(kit.Status(429, "Retry-After", "3000"))
				transport := &headway.Transport{Base: base, Refusal: headway.RefuseWithResponse, MaxWait: time.Minute}
				kit.Prime(t, transport)
				time.Sleep(100 * time.Millisecond)
				client := &http.Client{Transport: transport, Timeout: test.timeout}
				resp, err := client.Do(kit.NewRequest(t, kit.URL))
				require.NoError(t, err)
				require.Equal(t, http.StatusTooManyRequests, resp.StatusCode)
				require.Equal(t, "429 Too Many Requests", resp.Status)
				require.Equal(t, []int{1, 1}, []int{resp.ProtoMajor, resp.ProtoMinor})
				require.Equal(t, "false", resp.Header.Get("X-Should-Retry"))
				require.Equal(t, kit.URL, resp.Request.URL.String())
				require.Empty(t, kit.ReadAll(t, resp))

				limit, ok := headway.Refused(resp)
				require.True(t, ok)
				require.Equal(t, 1, base.Sent())
				require.InDelta(t, 3000, limit.Wait.Seconds(), 2)
				require.Equal(t, fmt.Sprint(math.Ceil(limit.Wait.Seconds())), resp.Header.Get("Retry-After"))
				if test.timeout > 0 {
					require.ErrorIs(t, limit, context.DeadlineExceeded)
				} else {
					require.ErrorIs(t, limit, headway.ErrMaxWait)
				}
			})
		})
	}
}

func TestRefusedTellsAServersResponse(t *testing.T) {
	transport := &headway.Transport{Base: kit.InTurn(kit.Status(200)), Refusal: headway.RefuseWithResponse, Ceiling: rate.NewLimiter(0, 0)}
	own, err := kit.Get(t.Context(), transport, kit.URL)
	require.NoError(t, err)
	require.NoError(t, own.Body.Close())
	require.NotContains(t, own.Header, "Retry-After", "nobody knows a time")

	imitation := kit.Respond(kit.NewRequest(t, kit.URL), 429)
	imitation.Header = own.Header.Clone()
	imitation.Body = http.NoBody
	// A new request with the context of a refused one is not taken for a refusal.
	follower := kit.Respond(own.Request.WithContext(own.Request.Context()), 429)
	copied := *own
	copied.Body = io.NopCloser(own.Body)
	for _, test := range []struct {
		name string
		resp *http.Response
		want bool
	}{
		{"own", own, true},
		{"own, copied and wrapped", &copied, true},
		{"imitation", imitation, false},
		{"same context", follower, false},
		{"no request", &http.Response{StatusCode: 429}, false},
		{"nil", nil, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, ok := headway.Refused(test.resp)
			require.Equal(t, test.want, ok)
		})
	}
}
