package ratelimittest_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestTransportSendsHeadersLikeHTTP(t *testing.T) {
	requireLikeHTTP(t, []likeHTTP{
		{
			"a header of any spelling", "",
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["x-ratelimit-limit"] = []string{"10"}
				w.Header()["X-Nothing"] = nil
				w.Header()["Content-Type"] = nil
				write(w, "a")
			},
			sighting{Status: "200 OK", Header: http.Header{"Content-Length": {"1"}, "X-Ratelimit-Limit": {"10"}}, Length: 1, Body: "a"},
		},
		{
			"values on several lines", "",
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("X-Lines", "one\r\ntwo\nthree\r")
				w.Header().Set("X-Forged", "\r\nX-Other: 1")
				w.Header().Set("X-Spaced", " \t a  b ")
				w.Header()["X-Empty"] = []string{"", "\n"}
			},
			sighting{Status: "200 OK", Header: http.Header{
				"Content-Length": {"0"}, "X-Lines": {"one  two three"}, "X-Forged": {"X-Other: 1"}, "X-Spaced": {"a  b"}, "X-Empty": {"", ""},
			}},
		},
		{
			"invalid names", "",
			func(w http.ResponseWriter, _ *http.Request) {
				for _, name := range []string{"", "X Space", "X:Colon", "X\r\nForged", "X-\u00e9", "X\x00", "(X)"} {
					w.Header()[name] = []string{"1"}
				}
				w.Header().Set("!#$%&'*+-.^_`|~09", "all that a name may have")
			},
			sighting{Status: "200 OK", Header: http.Header{"Content-Length": {"0"}, "!#$%&'*+-.^_`|~09": {"all that a name may have"}}},
		},
		{
			"values of any bytes", "",
			func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X-Bytes", "\u00e9\xff \t~") },
			sighting{Status: "200 OK", Header: http.Header{"Content-Length": {"0"}, "X-Bytes": {"\u00e9\xff \t~"}}},
		},
		{
			"a control character", "",
			func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X-Control", "a\x00b") },
			sighting{Failed: true},
		},
		{
			"a control character before a body", "",
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("X-Control", "\x7f")
				write(w, strings.Repeat("x", longer))
			},
			sighting{Failed: true},
		},
		{
			"an encoded body has no guessed type", "",
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Encoding", "br")
				write(w, "a")
			},
			sighting{Status: "200 OK", Header: http.Header{"Content-Length": {"1"}, "Content-Encoding": {"br"}}, Length: 1, Body: "a"},
		},
		{
			"only the first status and header count", "",
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("X-When", "before")
				w.WriteHeader(http.StatusAccepted)
				w.Header().Set("X-When", "after")
				w.WriteHeader(http.StatusTeapot)
				w.WriteHeader(http.StatusEarlyHints)
			},
			sighting{Status: "202 Accepted", Header: http.Header{"Content-Length": {"0"}, "X-When": {"before"}}},
		},
		{
			"a status without a name", "",
			func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(599) },
			sighting{Status: "599 status code 599", Header: http.Header{"Content-Length": {"0"}}},
		},
	})
}

// Responses that must not have a body.
func TestTransportSendsNoBodyLikeHTTP(t *testing.T) {
	requireLikeHTTP(t, []likeHTTP{
		{
			"HEAD", "HEAD",
			func(w http.ResponseWriter, _ *http.Request) { write(w, "made") },
			sighting{Status: "200 OK", Header: http.Header{"Content-Length": {"4"}, "Content-Type": {plain}}, Length: 4},
		},
		{
			"HEAD without a body", "HEAD",
			func(http.ResponseWriter, *http.Request) {},
			sighting{Status: "200 OK", Header: http.Header{}, Length: -1},
		},
		{
			"HEAD with a length and no body", "HEAD",
			func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Length", "7") },
			sighting{Status: "200 OK", Header: http.Header{"Content-Length": {"7"}}, Length: 7},
		},
		{
			"HEAD of a long body", "HEAD",
			func(w http.ResponseWriter, _ *http.Request) {
				write(w, strings.Repeat("x", longer))
				write(w, "y")
			},
			sighting{Status: "200 OK", Header: http.Header{"Content-Type": {plain}}, Length: -1},
		},
		{
			"HEAD, not modified", "HEAD",
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", "7")
				w.WriteHeader(http.StatusNotModified)
			},
			sighting{Status: "304 Not Modified", Header: http.Header{}, Length: -1},
		},
		{
			"204", "",
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", "1")
				w.WriteHeader(http.StatusNoContent)
				if _, err := io.WriteString(w, "a"); !errors.Is(err, http.ErrBodyNotAllowed) {
					panic("it was sent")
				}
			},
			sighting{Status: "204 No Content", Header: http.Header{}},
		},
		{
			"304", "",
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", plain)
				w.Header().Set("Etag", `"1"`)
				w.WriteHeader(http.StatusNotModified)
			},
			sighting{Status: "304 Not Modified", Header: http.Header{"Etag": {`"1"`}}},
		},
	})
}
