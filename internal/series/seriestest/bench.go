package seriestest

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
)

// A constBase returns the same response for every request.
type constBase struct{ resp *http.Response }

func (b constBase) RoundTrip(*http.Request) (*http.Response, error) { return b.resp, nil }

// unhindered returns a Transport without limits, and a request with a credential.
func unhindered(tb testing.TB) (*headway.Transport, *http.Request) {
	tb.Helper()
	resp := &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/plain"}}, Body: http.NoBody}
	req, err := http.NewRequestWithContext(tb.Context(), http.MethodGet, URL, nil)
	require.NoError(tb, err)
	req.Header.Set("Authorization", "Bearer 0123456789abcdef")
	return &headway.Transport{Base: constBase{resp}}, req
}

// Allocations returns how many allocations a request makes with the exporter.
func Allocations(t *testing.T, exporter Exporter) float64 {
	t.Helper()
	transport, req := unhindered(t)
	require.NoError(t, exporter.Instrument(transport, ""))
	return testing.AllocsPerRun(1000, func() {
		if err := send(transport, req); err != nil {
			t.Fatal(err)
		}
	})
}
