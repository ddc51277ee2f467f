package ratelimittest_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

// A Transport sends and refuses the same request headers as net/http.
func TestTransportSendsRequestHeadersLikeHTTP(t *testing.T) {
	tests := []struct {
		name string
		sent http.Header
		want http.Header // nil: the client refuses to send the header
	}{
		{"none", http.Header{}, http.Header{}},
		{"a name of any spelling", http.Header{"x-api-key": {"1"}, "X-API-Key": {"2"}}, http.Header{"X-Api-Key": {"2", "1"}}},
		{"spaces around a value", http.Header{"X-Spaced": {" \ta  b "}}, http.Header{"X-Spaced": {"a  b"}}},
		{"a value of any bytes", http.Header{"X-Bytes": {"\u00e9\xff\t~"}}, http.Header{"X-Bytes": {"\u00e9\xff\t~"}}},
		{"a name without values", http.Header{"X-None": nil}, http.Header{}},
		{"all characters that a name may have", http.Header{"!#$%&'*+-.^_`|~09": {""}}, http.Header{"!#$%&'*+-.^_`|~09": {""}}},
		{"no name", http.Header{"": {"1"}}, nil},
		{"a space in a name", http.Header{"X Space": {"1"}}, nil},
		{"a colon in a name", http.Header{"X:Colon": {"1"}}, nil},
		{"a letter in a name that is not ASCII", http.Header{"X-\u00e9": {"1"}}, nil},
		{"a bad name without values", http.Header{"X Space": nil}, nil},
		{"several lines", http.Header{"X-Forged": {"good", "1\r\nX-Other: 2"}}, nil},
		{"a control character", http.Header{"X-Control": {"\x00"}}, nil},
		{"the last control character", http.Header{"X-Control": {"\x7f"}}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, network := range []string{"over HTTP", "in memory"} {
				var got http.Header
				h := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.Header })
				url := "http://api.test/"
				var rt http.RoundTripper = &ratelimittest.Transport{Handler: h}
				if network == "over HTTP" {
					srv := httptest.NewServer(h)
					defer srv.Close()
					url, rt = srv.URL, &http.Transport{DisableCompression: true, DisableKeepAlives: true}
				}
				body := &closeCounter{Reader: strings.NewReader("")}
				req := newRequest(t, "POST", url, body)
				req.Header = tt.sent.Clone()
				_, err := roundTrip(t, rt, req)
				require.Equal(t, tt.sent, req.Header, network)
				if tt.want == nil {
					require.ErrorContains(t, err, "invalid header field", network)
					require.Nil(t, got, network)
					require.Equal(t, 1, body.closed, network)
					continue
				}
				require.NoError(t, err, network)
				for _, own := range []string{"User-Agent", "Connection"} { // fields that an http.Transport adds
					got.Del(own)
				}
				require.Equal(t, tt.want, got, network)
			}
		})
	}
}
