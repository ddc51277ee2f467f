//go:build !race

package identity

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestKeyAllocations(t *testing.T) {
	signed := request(t, testURL, "Authorization", `Digest username="u", realm="r", nonce="1", nc=00000001, response="aa"`)
	virtual := request(t, "https://10.0.0.1/things", "X-Api-Key", "key")
	virtual.Host = "api.example.com"
	for _, test := range []struct {
		name string
		req  *http.Request
	}{
		{"plain", request(t, testURL)},
		{"signed", signed},
		{"virtual host", virtual},
	} {
		t.Run(test.name, func(t *testing.T) {
			require.Zero(t, testing.AllocsPerRun(100, func() {
				k := keyOf(test.req)
				if k.Hash() == 0 {
					t.Fatal("no hash")
				}
			}))
		})
	}
}
