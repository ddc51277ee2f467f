package costs

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/validate"
)

// Over real connections a hook sees the unpacked body, and the caller gets body and trailers.
func TestLimitsOnTheWire(t *testing.T) {
	text := strings.Repeat(`{"limit":10,"remaining":7} `, 10_000)
	for _, isHTTP2 := range []bool{false, true} {
		for _, trailer := range []string{"", "announced", "not announced"} {
			name := map[bool]string{false: "HTTP/1.1", true: "HTTP/2"}[isHTTP2] + " trailers " + trailer
			t.Run(name, func(t *testing.T) {
				server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					if trailer == "announced" {
						w.Header().Set("Trailer", "Digest")
					}
					_, _ = io.WriteString(w, text)
					switch trailer {
					case "announced":
						w.Header().Set("Digest", "x")
					case "not announced":
						w.Header().Set(http.TrailerPrefix+"Digest", "x")
					}
				}))
				server.EnableHTTP2 = isHTTP2
				server.StartTLS()
				defer server.Close()
				var seen []byte
				transport := &headway.Transport{
					Base: server.Client().Transport,
					Limits: func(resp *http.Response) validate.Reading {
						seen, _ = io.ReadAll(resp.Body)
						return validate.Reading{Limits: []limits.Reported{minute(10, 7)}}
					},
				}
				resp, err := kit.Get(t.Context(), transport, server.URL)
				require.NoError(t, err)
				require.Equal(t, isHTTP2, resp.ProtoMajor == 2)
				got := kit.ReadAll(t, resp)
				require.Len(t, got, len(text))
				require.Equal(t, text[:100], got[:100])
				require.True(t, strings.HasPrefix(text, string(seen)), "it may see less if the machine is busy")
				if trailer == "announced" {
					require.Empty(t, seen)
				}
				if trailer != "" {
					require.Equal(t, "x", resp.Trailer.Get("Digest"))
				}
				require.EqualValues(t, 7, transport.State()[0].Limits[0].Remaining)
			})
		}
	}
}
