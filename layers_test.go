package headway

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"
)

// A wrapper is a layer that says what it wraps.
type wrapper struct{ http.RoundTripper }

func (w wrapper) Unwrap() http.RoundTripper { return w.RoundTripper }

// An embedding layer has all methods of a Transport.
type embedding struct{ *Transport }

func (e embedding) RoundTrip(req *http.Request) (*http.Response, error) {
	return e.Transport.RoundTrip(req)
}

// An opaque layer does not say.
type opaque struct{ base http.RoundTripper }

func (o opaque) RoundTrip(req *http.Request) (*http.Response, error) { return o.base.RoundTrip(req) }

// Of two layers the upper one alone paces, holds and resends.
func TestOneOfTwoLayersResends(t *testing.T) {
	for _, row := range []struct {
		name  string
		stack func(lower *Transport) http.RoundTripper
		sent  int
	}{
		{"next to each other", func(lower *Transport) http.RoundTripper { return lower }, 4},
		{"one between them", func(lower *Transport) http.RoundTripper { return wrapper{lower} }, 4},
		{"one that embeds it", func(lower *Transport) http.RoundTripper { return embedding{lower} }, 4},
		{"three Transports", func(lower *Transport) http.RoundTripper { return wrapper{&Transport{Base: wrapper{lower}}} }, 4},
		{"one between them that says nothing", func(lower *Transport) http.RoundTripper { return opaque{lower} }, 16},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				answers := inTurn(status(429, "Retry-After", "1"))
				lower := &Transport{Base: answers}
				prime(t, &Transport{Base: row.stack(lower)})
				require.Equal(t, row.sent, answers.sent())
				require.Equal(t, row.sent > 4, len(lower.State()) > 0)
			})
		})
	}
}

// A shadow delays and resends nothing, so it does not keep others from it.
func TestShadowOnTopLeavesItToOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := inTurn(status(429, "Retry-After", "1"))
		lower := &Transport{Base: answers}
		shadow := &Transport{Base: lower, Shadow: true}
		prime(t, shadow)
		require.Equal(t, 1+DefaultMaxRetries, answers.sent())
		require.Len(t, lower.State(), 1)
		require.Len(t, shadow.State(), 1)
	})
}

// The lower layer's queue empties, and what comes to it directly is handed on as well.
func TestLowerLayerHandsOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lower := &Transport{Base: inTurn(usedUp())}
		prime(t, lower)
		var waiting sync.WaitGroup
		start := time.Now()
		waiting.Go(func() {
			prime(t, lower)
			require.GreaterOrEqual(t, time.Since(start), time.Minute)
		})
		synctest.Wait()

		upper := &Transport{Base: lower}
		prime(t, upper)
		prime(t, lower)
		require.Zero(t, time.Since(start))
		waiting.Wait()
		require.Len(t, upper.State(), 1)
	})
}

// To look at a Transport does not make it take over.
func TestLookingTakesNothingOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lower := &Transport{Base: inTurn(usedUp())}
		upper := &Transport{Base: lower}
		require.Empty(t, upper.State())
		prime(t, lower)
		start := time.Now()
		prime(t, lower)
		require.GreaterOrEqual(t, time.Since(start), time.Minute)
	})
}

// A Ceiling is over all that is sent, whoever paces.
func TestLowerLayerKeepsItsCeiling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := inTurn(status(200))
		upper := &Transport{Base: &Transport{Base: answers, Ceiling: rate.NewLimiter(rate.Every(time.Minute), 1)}}
		start := time.Now()
		prime(t, upper)
		prime(t, upper)
		require.Equal(t, time.Minute, time.Since(start))

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := get(ctx, upper, testURL)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		var limit *LimitError
		require.ErrorAs(t, err, &limit)
		require.Equal(t, time.Minute, time.Since(start), "at once")

		ctx, cancel = context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		_, err = get(ctx, upper, testURL)
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, 2, answers.sent())
	})
}

// What is not paced above is not paced below.
func TestLowerLayerLeavesAloneWhatTheUpperOneDoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := inTurn(status(429, "Retry-After", "1"))
		prime(t, &Transport{
			Base:      &Transport{Base: answers},
			Partition: func(*http.Request) string { return "" },
		})
		require.Equal(t, 1, answers.sent())
	})
}

// A Transport below itself says so, rather than to go round for ever.
func TestTransportBelowItself(t *testing.T) {
	for _, row := range []struct {
		name string
		base func(t *Transport) http.RoundTripper
	}{
		{"directly", func(t *Transport) http.RoundTripper { return t }},
		{"a layer between", func(t *Transport) http.RoundTripper { return wrapper{t} }},
		{"a Transport between", func(t *Transport) http.RoundTripper { return &Transport{Base: wrapper{t}} }},
		{"embedded", func(t *Transport) http.RoundTripper { return embedding{t} }},
	} {
		t.Run(row.name, func(t *testing.T) {
			transport := &Transport{}
			transport.Base = row.base(transport)
			body := newTrackedBody("text")
			req := newRequest(t, testURL)
			req.Body = body
			resp, err := transport.RoundTrip(req)
			if err == nil {
				require.NoError(t, resp.Body.Close())
			}
			require.ErrorIs(t, err, ErrLoop)
			require.Equal(t, 1, body.closed)
		})
	}
}

// Layers that go in circles, or lead nowhere, keep nobody from finding out.
func TestOddLayers(t *testing.T) {
	for _, row := range []struct {
		name string
		base http.RoundTripper
	}{
		{"a circle", &circle{inTurn(status(200))}},
		{"nothing", wrapper{nil}},
		{"no Transport", (*Transport)(nil)},
		{"a layer without its Transport", embedding{}},
	} {
		t.Run(row.name, func(t *testing.T) {
			transport := &Transport{Base: row.base}
			require.NotPanics(t, transport.takeOver)
			require.False(t, transport.loops)
		})
	}
}

// A circle unwraps to itself.
type circle struct{ base http.RoundTripper }

func (c *circle) RoundTrip(req *http.Request) (*http.Response, error) { return c.base.RoundTrip(req) }
func (c *circle) Unwrap() http.RoundTripper                           { return c }
