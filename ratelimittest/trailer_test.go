package ratelimittest_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

func TestTransportSendsTrailersLikeHTTP(t *testing.T) {
	requireLikeHTTP(t, []likeHTTP{
		{
			"a declared trailer", "",
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Trailer", "X-Sum, x-none")
				write(w, "a")
				w.Header().Set("X-Sum", "42")
				w.Header().Set("X-Late", "not declared")
			},
			sighting{
				Status: "200 OK", Header: http.Header{"Content-Type": {plain}}, Length: -1, Encoding: chunked, Body: "a",
				Promised: http.Header{"X-Sum": nil, "X-None": nil}, Trailer: http.Header{"X-Sum": {"42"}, "X-None": nil},
			},
		},
		{
			"a trailer that is not declared", "",
			func(w http.ResponseWriter, _ *http.Request) {
				write(w, "a")
				flush(w)
				w.Header().Set(http.TrailerPrefix+"X-Sum", "42")
			},
			sighting{
				Status: "200 OK", Header: http.Header{"Content-Type": {plain}}, Length: -1, Encoding: chunked, Body: "a",
				Trailer: http.Header{"X-Sum": {"42"}},
			},
		},
		{
			"a trailer with line breaks and invalid names", "",
			func(w http.ResponseWriter, _ *http.Request) {
				flush(w)
				w.Header().Set(http.TrailerPrefix+"X-Lines", "one\ntwo")
				w.Header()[http.TrailerPrefix+"X Space"] = []string{"1"}
			},
			sighting{
				Status: "200 OK", Header: http.Header{}, Length: -1, Encoding: chunked,
				Trailer: http.Header{"X-Lines": {"one two"}},
			},
		},
		{
			"a trailer that is not declared, without a body", "",
			func(w http.ResponseWriter, _ *http.Request) { w.Header().Set(http.TrailerPrefix+"x-sum", "42") },
			sighting{Status: "200 OK", Header: http.Header{}, Length: -1, Encoding: chunked, Trailer: http.Header{"X-Sum": {"42"}}},
		},
		{
			"a trailer that is too late", "",
			func(w http.ResponseWriter, _ *http.Request) {
				write(w, "a")
				w.Header().Set(http.TrailerPrefix+"X-Sum", "42")
			},
			sighting{Status: "200 OK", Header: http.Header{"Content-Length": {"1"}, "Content-Type": {plain}}, Length: 1, Body: "a"},
		},
	})
}

// A trailer that cannot be read breaks the connection.
func TestTransportBreaksOffAtAnUnreadableTrailer(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		write(w, "a")
		flush(w)
		w.Header().Set(http.TrailerPrefix+"X-Control", "\x00")
	})
	srv := httptest.NewServer(h)
	defer srv.Close()
	for _, s := range []sighting{
		look(t, srv.Client().Transport, "GET", srv.URL, nil),
		look(t, &ratelimittest.Transport{Handler: h}, "GET", "http://api.test/", nil),
	} {
		require.Equal(t, "a", s.Body)
		require.Error(t, s.Err)
		require.Empty(t, s.Trailer)
	}
}
