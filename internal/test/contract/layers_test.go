package contract

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
)

// A wrapper is a layer with an Unwrap method.
type wrapper struct{ http.RoundTripper }

func (w wrapper) Unwrap() http.RoundTripper { return w.RoundTripper }

// An embedding layer embeds a Transport.
type embedding struct{ *headway.Transport }

func (e embedding) RoundTrip(req *http.Request) (*http.Response, error) {
	return e.Transport.RoundTrip(req)
}

// An opaque layer does not reveal what it wraps.
type opaque struct{ base http.RoundTripper }

func (o opaque) RoundTrip(req *http.Request) (*http.Response, error) { return o.base.RoundTrip(req) }

// With two Transports, only the upper one paces, holds and resends.
func TestOneOfTwoLayersResends(t *testing.T) {
	for _, row := range []struct {
		name  string
		stack func(lower *headway.Transport) http.RoundTripper
		sent  int
	}{
		{"next to each other", func(lower *headway.Transport) http.RoundTripper { return lower }, 4},
		{"one between them", func(lower *headway.Transport) http.RoundTripper { return wrapper{lower} }, 4},
		{"one that embeds it", func(lower *headway.Transport) http.RoundTripper { return embedding{lower} }, 4},
		{"three Transports", func(lower *headway.Transport) http.RoundTripper {
			return wrapper{&headway.Transport{Base: wrapper{lower}}}
		}, 4},
		{"two between them", func(lower *headway.Transport) http.RoundTripper { return wrapper{wrapper{lower}} }, 16},
		{"one between them that says nothing", func(lower *headway.Transport) http.RoundTripper { return opaque{lower} }, 16},
	} {
		kit.Bubble(t, row.name, func(t *testing.T) {
			answers := kit.InTurn(kit.Status(429, "Retry-After", "1"))
			lower := &headway.Transport{Base: answers}
			kit.Prime(t, &headway.Transport{Base: row.stack(lower)})
			require.Equal(t, row.sent, answers.Sent())
			require.Equal(t, row.sent > 4, len(lower.State()) > 0)
		})
	}
}

// A Transport in shadow mode delays and resends nothing, so the other Transport does.
func TestShadowOnTopLeavesItToOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := kit.InTurn(kit.Status(429, "Retry-After", "1"))
		lower := &headway.Transport{Base: answers}
		shadow := &headway.Transport{Base: lower, Shadow: true}
		kit.Prime(t, shadow)
		require.Equal(t, 1+headway.DefaultMaxRetries, answers.Sent())
		require.Len(t, lower.State(), 1)
		require.Len(t, shadow.State(), 1)
	})
}

// Calling State does not make a Transport the upper one.
func TestLookingTakesNothingOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lower := &headway.Transport{Base: kit.InTurn(kit.UsedUp())}
		upper := &headway.Transport{Base: lower}
		require.Empty(t, upper.State())
		kit.Prime(t, lower)
		start := time.Now()
		kit.Prime(t, lower)
		require.GreaterOrEqual(t, time.Since(start), time.Minute)
	})
}

// A Transport below itself returns an error instead of an endless loop.
func TestTransportBelowItself(t *testing.T) {
	for _, row := range []struct {
		name string
		base func(t *headway.Transport) http.RoundTripper
	}{
		{"directly", func(t *headway.Transport) http.RoundTripper { return t }},
		{"a layer between", func(t *headway.Transport) http.RoundTripper { return wrapper{t} }},
		{"embedded", func(t *headway.Transport) http.RoundTripper { return embedding{t} }},
	} {
		t.Run(row.name, func(t *testing.T) {
			transport := &headway.Transport{}
			transport.Base = row.base(transport)
			body := kit.NewTrackedBody("text")
			req := kit.NewRequest(t, kit.URL)
			req.Body = body
			resp, err := transport.RoundTrip(req)
			if err == nil {
				require.NoError(t, resp.Body.Close())
			}
			require.ErrorIs(t, err, headway.ErrLoop)
			require.Equal(t, 1, body.Closed)
		})
	}
}

// Unwrap loops and nil layers do not hang the search for Transports.
func TestOddLayers(t *testing.T) {
	for _, row := range []struct {
		name   string
		unwrap func(*odd) http.RoundTripper
	}{
		{"a circle", func(o *odd) http.RoundTripper { return o }},
		{"nothing", func(*odd) http.RoundTripper { return nil }},
		{"a layer above nothing", func(*odd) http.RoundTripper { return wrapper{nil} }},
		{"no Transport", func(*odd) http.RoundTripper { return (*headway.Transport)(nil) }},
		{"a layer without its Transport", func(*odd) http.RoundTripper { return embedding{} }},
	} {
		t.Run(row.name, func(t *testing.T) {
			answers := kit.InTurn(kit.Status(200))
			kit.Prime(t, &headway.Transport{Base: &odd{answers, row.unwrap}})
			require.Equal(t, 1, answers.Sent())
		})
	}
}

// An odd layer's Unwrap returns a layer that it does not use.
type odd struct {
	http.RoundTripper
	unwrap func(*odd) http.RoundTripper
}

func (o *odd) Unwrap() http.RoundTripper { return o.unwrap(o) }
