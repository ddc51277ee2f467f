package pool_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/pool"
)

// BenchmarkChoice is what a pool of three members adds to a Transport alone: where the first one asked can take the request, and
// where up to two are asked in vain.
func BenchmarkChoice(b *testing.B) {
	answer := func(remaining string) kit.BaseFunc {
		header := kit.Fields("RateLimit-Policy", `"a";q=500000000000;w=60`, "RateLimit", `"a";r=`+remaining+`;t=60`)
		return func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: http.StatusOK, Header: header, Body: http.NoBody}, nil
		}
	}
	member := func(remaining string) pool.Member {
		transport := &headway.Transport{Base: answer(remaining)}
		transport.Bounds.MaxRate = -1
		kit.Prime(b, transport)
		return pool.Member{Transport: transport, Prepare: func(req *http.Request) { req.Header.Set("X-Region", "a") }}
	}
	many, none := "500000000000", "0"
	for _, c := range []struct {
		name      string
		transport http.RoundTripper
	}{
		{"alone", member(many).Transport},
		{"pool", &pool.Transport{Members: []pool.Member{member(many), member(many), member(many)}}},
		{"busy", &pool.Transport{Members: []pool.Member{member(none), member(none), member(many)}}},
	} {
		b.Run("way="+c.name, func(b *testing.B) {
			req := kit.NewRequest(b, kit.URL, "User-Agent", "a", "Accept", "*/*")
			b.ReportAllocs()
			for b.Loop() {
				_, err := c.transport.RoundTrip(req)
				require.NoError(b, err)
			}
		})
	}
}
