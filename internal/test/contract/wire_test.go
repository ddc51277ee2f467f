package contract

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
)

// These are the duties of a RoundTripper that need a real connection. No limit is reached, so no
// time passes.

// dial starts a server and returns a Transport that reaches it.
func dial(t *testing.T, handler http.HandlerFunc) (transport *headway.Transport, url string) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return &headway.Transport{Base: server.Client().Transport}, server.URL
}

func TestTrailersPassThrough(t *testing.T) {
	for _, test := range []struct {
		name   string
		status int
		fields []string
	}{
		{"no limits", 200, nil},
		{"concurrency limit", 200, []string{"RateLimit-Policy", `"c";q=10;qu="concurrent-requests"`, "RateLimit", `"c";r=9`}},
		{"throttled, handed back", 429, []string{"Retry-After", "60"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			transport, url := dial(t, func(w http.ResponseWriter, _ *http.Request) {
				for i := 0; i < len(test.fields); i += 2 {
					w.Header().Set(test.fields[i], test.fields[i+1])
				}
				w.Header().Set("Trailer", "Checksum")
				w.WriteHeader(test.status)
				_, _ = io.WriteString(w, "all of it")
				w.Header().Set("Checksum", "abc")
			})
			transport.MaxRetries = -1
			resp, err := kit.Get(t.Context(), transport, url)
			require.NoError(t, err)
			require.Equal(t, test.status, resp.StatusCode)
			require.Equal(t, "all of it", kit.ReadAll(t, resp))
			require.Equal(t, http.Header{"Checksum": {"abc"}}, resp.Trailer)
		})
	}
}
