// Package seriestest has servers in memory and scenarios for the tests of all exporters.
package seriestest

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/ratelimittest"
)

// The URL of most requests, and their partition.
const (
	URL       = "https://api.example.com/things"
	Partition = "https://api.example.com"
)

// An Exporter exports the metrics of Transports.
type Exporter interface {
	Instrument(t *headway.Transport, name string) error
	Remove(t *headway.Transport)
}

// Instrumented returns a Transport over base with the exporter, without a name.
func Instrumented(tb testing.TB, exporter Exporter, base http.RoundTripper) *headway.Transport {
	tb.Helper()
	transport := &headway.Transport{Base: base, Jitter: -1}
	require.NoError(tb, exporter.Instrument(transport, ""))
	return transport
}

// Answering returns a server in memory. Its responses have that status and the fields, given as
// pairs of name and value.
func Answering(status int, fields ...string) *ratelimittest.Transport {
	return &ratelimittest.Transport{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(fields); i += 2 {
			w.Header().Add(fields[i], fields[i+1])
		}
		w.WriteHeader(status)
	})}
}

// Get makes a request with the fields, given as pairs of name and value. It closes the response's
// body.
func Get(ctx context.Context, via http.RoundTripper, url string, fields ...string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	for i := 0; i < len(fields); i += 2 {
		req.Header.Set(fields[i], fields[i+1])
	}
	return send(via, req)
}

func send(via http.RoundTripper, req *http.Request) error {
	resp, err := via.RoundTrip(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
