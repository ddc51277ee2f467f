//go:build !race

package identity

import (
	"net/http"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// Clone allocates nothing for the scheme, as nearly all partitions have one of two schemes.
func TestCloneAllocations(t *testing.T) {
	for scheme, want := range map[string]float64{"http": 1, "https": 1, "other": 2} {
		k := Key{Scheme: strings.Clone(scheme), Host: strings.Clone("api.example.com")}
		var sink Key
		require.InDelta(t, want, testing.AllocsPerRun(100, func() { sink = k.Clone() }), 0, scheme)
		require.Equal(t, k, sink)
		require.NotSame(t, unsafe.StringData(k.Scheme), unsafe.StringData(sink.Scheme), scheme)
	}
}

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
