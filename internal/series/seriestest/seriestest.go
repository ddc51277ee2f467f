// Package seriestest has what the tests of exporters have in common: servers in memory, and
// scenarios with all that there is to tell.
package seriestest

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/ratelimittest"
)

// What most requests are for, and their partition.
const (
	URL       = "https://api.example.com/things"
	Partition = "https://api.example.com"
)

// An Exporter tells what Transports do.
type Exporter interface {
	Instrument(t *headway.Transport, name string) error
	Remove(t *headway.Transport)
}

// Instrumented returns a Transport over base that the exporter tells of, with no name.
func Instrumented(tb testing.TB, exporter Exporter, base http.RoundTripper) *headway.Transport {
	tb.Helper()
	transport := &headway.Transport{Base: base, Jitter: -1}
	require.NoError(tb, exporter.Instrument(transport, ""))
	return transport
}

// Answering is a server in memory that always answers with that status and these pairs
// of name and value.
func Answering(status int, fields ...string) *ratelimittest.Transport {
	return &ratelimittest.Transport{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(fields); i += 2 {
			w.Header().Add(fields[i], fields[i+1])
		}
		w.WriteHeader(status)
	})}
}

// Get makes a request with these pairs of name and value, and closes the response's body.
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
