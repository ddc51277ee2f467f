package headway

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/pacer"
	"github.com/headway-go/headway/parse"
)

// The context says what a request costs before Transport.Cost does, and what neither
// says is known of requests and bytes alone.
func TestPrice(t *testing.T) {
	units := []string{"tokens", "content-bytes"}
	fromField := func(_ *http.Request, unit parse.Unit) int64 {
		return map[parse.Unit]int64{parse.Requests: 3, "tokens": 500, parse.ContentBytes: -1}[unit]
	}
	for _, row := range []struct {
		name string
		ctx  func(context.Context) context.Context
		cost func(*http.Request, parse.Unit) int64
		body io.Reader
		want []int64
	}{
		{"nothing is said", nil, nil, nil, []int64{1, -1, -1}},
		{"a body of known length", nil, nil, strings.NewReader("12345"), []int64{1, -1, 5}},
		{"a body of unknown length", nil, nil, io.MultiReader(strings.NewReader("12345")), []int64{1, -1, -1}},
		{"by Cost", nil, fromField, nil, []int64{3, 500, -1}},
		{"by the context", func(ctx context.Context) context.Context {
			return WithCost(WithPriority(WithCost(ctx, "tokens", 70), 2), parse.Requests, 0)
		}, fromField, nil, []int64{0, 70, -1}},
		{"negative in the context", func(ctx context.Context) context.Context {
			return WithCost(ctx, "tokens", -5)
		}, fromField, nil, []int64{3, 500, -1}},
		{"more than can be counted", func(ctx context.Context) context.Context {
			return WithCost(ctx, "tokens", 1<<62)
		}, nil, nil, []int64{1, pacer.MostCost, -1}},
	} {
		t.Run(row.name, func(t *testing.T) {
			ctx := t.Context()
			if row.ctx != nil {
				ctx = row.ctx(ctx)
			}
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, testURL, row.body)
			require.NoError(t, err)
			c := call{Transport: &Transport{Cost: row.cost}, req: req, options: optionsOf(ctx)}
			c.price(nil)
			require.Equal(t, row.want[0], c.cost.Requests, "before another unit is known")
			c.price(units)
			require.Equal(t, row.want, []int64{c.cost.Requests, c.cost.Others[0], c.cost.Others[1]})
			require.EqualValues(t, pacer.Unknown, c.cost.Others[2], "of a unit that comes later")
			c.price(nil)
			require.Equal(t, pacer.Cost{Requests: row.want[0]}, c.cost, "in a partition that was made anew")
			require.Empty(t, c.units)
		})
	}
}

// A free request uses nothing of the limit and does not wait for it.
func TestFreeRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := inTurn(usedUp())
		transport := &Transport{Base: base}
		prime(t, transport)
		begun := time.Now()
		resp, err := get(WithCost(t.Context(), parse.Requests, 0), transport, testURL)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.Zero(t, time.Since(begun))
	})
}

// A request that counts for twenty takes the time of twenty.
func TestCostlyRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := &Transport{
			Base:  inTurn(status(http.StatusOK, "RateLimit", `"minute";r=59;t=60`, "RateLimit-Policy", `"minute";q=60;w=60`)),
			Burst: -1, Jitter: -1,
		}
		ctx := WithCost(t.Context(), parse.Requests, 20)
		for range 2 {
			resp, err := get(ctx, transport, testURL)
			require.NoError(t, err)
			require.NoError(t, resp.Body.Close())
		}
		begun := time.Now()
		prime(t, transport)
		require.InDelta(t, 20, time.Since(begun).Seconds(), 1)
	})
}

// What a response's body has counts once it has been read or closed, until the server
// says what is left.
func TestResponseBytesCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := baseFunc(func(req *http.Request) (*http.Response, error) {
			resp := respond(req, http.StatusOK,
				"RateLimit", `"bytes";r=50000;t=60`, "RateLimit-Policy", `"bytes";q=60000;w=60;qu="content-bytes"`)
			resp.Body = io.NopCloser(strings.NewReader(strings.Repeat("x", 10_000)))
			return resp, nil
		})
		transport := &Transport{Base: base}
		remaining := func() int64 { return transport.State()[0].Limits[0].Remaining }

		resp, err := get(t.Context(), transport, testURL)
		require.NoError(t, err)
		require.Equal(t, parse.ContentBytes, transport.State()[0].Limits[0].Unit)
		_, err = io.CopyN(io.Discard, resp.Body, 4000)
		require.NoError(t, err)
		require.EqualValues(t, 50_000, remaining(), "it has not ended yet")
		require.NoError(t, resp.Body.Close())
		require.EqualValues(t, 46_000, remaining(), "as far as it was read")
		require.NoError(t, resp.Body.Close())
		require.EqualValues(t, 46_000, remaining(), "once")

		resp, err = get(t.Context(), transport, testURL)
		require.NoError(t, err)
		require.EqualValues(t, 50_000, remaining(), "as told")
		_, err = io.Copy(io.Discard, resp.Body)
		require.NoError(t, err)
		require.EqualValues(t, 40_000, remaining())
	})
}

// Waiters of a higher priority go first, but for every eighth turn.
func TestPrioritiesInTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var order []int
		base := baseFunc(func(req *http.Request) (*http.Response, error) {
			order = append(order, optionsOf(req.Context()).priority)
			return respond(req, http.StatusOK, "RateLimit", `"second";r=0;t=1`, "RateLimit-Policy", `"second";q=1;w=1`), nil
		})
		transport := &Transport{Base: base}
		var clients sync.WaitGroup
		send := func(priority int) {
			clients.Go(func() {
				resp, err := get(WithPriority(t.Context(), priority), transport, testURL)
				if err == nil {
					err = resp.Body.Close()
				}
				require.NoError(t, err)
			})
			time.Sleep(time.Millisecond)
		}
		send(0)
		for range 4 {
			for _, priority := range []int{-1, 0, 1} {
				send(priority)
			}
		}
		clients.Wait()
		require.Equal(t, []int{0, 1, 1, 1, 1, 0, 0, 0, -1, 0, -1, -1, -1}, order)
	})
}
