package ratelimittest_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

func TestTransportSendsBodiesLikeHTTP(t *testing.T) {
	requireLikeHTTP(t, []likeHTTP{
		{
			"nothing", "",
			func(http.ResponseWriter, *http.Request) {},
			sighting{Status: "200 OK", Header: http.Header{"Content-Length": {"0"}}},
		},
		{
			"a short body", "",
			func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusCreated)
				write(w, "ma")
				write(w, "de")
			},
			sighting{Status: "201 Created", Header: http.Header{"Content-Length": {"4"}, "Content-Type": {plain}}, Length: 4, Body: "made"},
		},
		{
			"as much as is buffered", "",
			func(w http.ResponseWriter, _ *http.Request) { write(w, strings.Repeat("x", 2048)) },
			sighting{
				Status: "200 OK", Header: http.Header{"Content-Length": {"2048"}, "Content-Type": {plain}},
				Length: 2048, Body: strings.Repeat("x", 2048),
			},
		},
		{
			"a long body", "",
			func(w http.ResponseWriter, _ *http.Request) {
				for range longer / 10 {
					write(w, "0123456789")
				}
			},
			sighting{
				Status: "200 OK", Header: http.Header{"Content-Type": {plain}},
				Length: -1, Encoding: chunked, Body: strings.Repeat("0123456789", longer/10),
			},
		},
		{
			"a long body of declared length", "",
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", "5000")
				write(w, strings.Repeat("x", longer))
			},
			sighting{
				Status: "200 OK", Header: http.Header{"Content-Length": {"5000"}, "Content-Type": {plain}},
				Length: longer, Body: strings.Repeat("x", longer),
			},
		},
		{
			"a body that was flushed", "",
			func(w http.ResponseWriter, _ *http.Request) {
				write(w, "a")
				flush(w)
				write(w, "b")
				flush(w)
			},
			sighting{Status: "200 OK", Header: http.Header{"Content-Type": {plain}}, Length: -1, Encoding: chunked, Body: "ab"},
		},
		{
			"a body that an http.Flusher has flushed", "",
			func(w http.ResponseWriter, _ *http.Request) {
				write(w, "a")
				w.(http.Flusher).Flush()
			},
			sighting{Status: "200 OK", Header: http.Header{"Content-Type": {plain}}, Length: -1, Encoding: chunked, Body: "a"},
		},
		{
			"a header that was flushed", "",
			func(w http.ResponseWriter, _ *http.Request) { flush(w) },
			sighting{Status: "200 OK", Header: http.Header{}, Length: -1, Encoding: chunked},
		},
		{
			"an invalid Content-Length", "",
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", "many")
				flush(w)
				write(w, "a")
			},
			sighting{Status: "200 OK", Header: http.Header{}, Length: -1, Encoding: chunked, Body: "a"},
		},
		{
			"less than declared", "",
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", "10")
				write(w, "a")
			},
			sighting{
				Status: "200 OK", Header: http.Header{"Content-Length": {"10"}, "Content-Type": {plain}},
				Length: 10, Body: "a", Err: io.ErrUnexpectedEOF,
			},
		},
		{
			"more than declared", "",
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", "2")
				write(w, "ab")
				if n, err := io.WriteString(w, "c"); n != 0 || !errors.Is(err, http.ErrContentLength) {
					panic("it was sent")
				}
			},
			sighting{Status: "200 OK", Header: http.Header{"Content-Length": {"2"}, "Content-Type": {plain}}, Length: 2, Body: "ab"},
		},
		{
			"nothing after more than declared", "",
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", "2")
				for _, p := range []string{"abc", "ab"} {
					if n, err := io.WriteString(w, p); n != 0 || !errors.Is(err, http.ErrContentLength) {
						panic("it was sent")
					}
				}
			},
			sighting{Status: "200 OK", Header: http.Header{"Content-Length": {"2"}}, Length: 2, Err: io.ErrUnexpectedEOF},
		},
		{
			"full duplex", "",
			func(w http.ResponseWriter, _ *http.Request) {
				if err := http.NewResponseController(w).EnableFullDuplex(); err != nil {
					panic(err)
				}
			},
			sighting{Status: "200 OK", Header: http.Header{"Content-Length": {"0"}}},
		},
	})
}

// An invalid status is a bug of the handler, so WriteHeader panics, as in net/http.
func TestTransportPanicsAtAnInvalidStatus(t *testing.T) {
	for _, status := range []int{0, 99, 1000} {
		tr := &ratelimittest.Transport{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })}
		require.PanicsWithValue(t, fmt.Sprintf("ratelimittest: invalid WriteHeader code %d", status), func() {
			_, _ = roundTrip(t, tr, newRequest(t, "GET", "http://api.test/", nil))
		})
	}
}

// Hijack and deadlines are not supported, also behind a Handler or a Fault.
func TestTransportHasNoConnection(t *testing.T) {
	errs := make(map[string]error)
	next := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		c := http.NewResponseController(w)
		_, _, errs["Hijack"] = c.Hijack()
		errs["SetReadDeadline"] = c.SetReadDeadline(time.Time{})
		errs["SetWriteDeadline"] = c.SetWriteDeadline(time.Time{})
	})
	for _, h := range []http.Handler{next, &ratelimittest.Handler{Next: next}, ratelimittest.SlowHeader(0)(next)} {
		clear(errs)
		resp, err := roundTrip(t, &ratelimittest.Transport{Handler: h}, newRequest(t, "GET", "http://api.test/", nil))
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, resp.StatusCode)
		require.Len(t, errs, 3)
		for method, err := range errs {
			require.ErrorIs(t, err, http.ErrNotSupported, method)
		}
	}
}
