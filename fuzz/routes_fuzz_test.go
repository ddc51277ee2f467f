package fuzz

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/pacer"
)

// FuzzRoutes sends one request per line. A route keeps its number.
func FuzzRoutes(f *testing.F) {
	f.Add("GET /repos/golang/go/issues/123\nPOST /repos/golang/go/issues/7\nHEAD /repos/golang/go/issues/123/more/of/it")
	f.Add("GET /" + strings.Join(strings.Split("abcdefghijklmnopqrstuvwxyz", ""), "\nGET /") + "/1\nGET /z/1")
	f.Add(" " + strings.Repeat("/a/b", 300) + "\n /\n " + strings.Repeat("/", 2000))
	f.Fuzz(func(t *testing.T, requests string) {
		var routes identity.Routes
		seen := map[string]uint8{}
		for request := range strings.SplitSeq(requests, "\n") {
			method, path, _ := strings.Cut(request, " ")
			got := routes.Of(method, &url.URL{Path: path})
			require.True(t, 1 <= got.Number && got.Number <= pacer.MaxRoutes, "%q: %+v", request, got)
			require.Less(t, got.Like, got.Number, "%q", request)
			if n, isKnown := seen[request]; isKnown {
				require.Equal(t, n, got.Number, "%q", request)
			}
			seen[request] = got.Number
		}
	})
}
