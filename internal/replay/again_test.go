package replay

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAgain(t *testing.T) {
	body := func() (io.ReadCloser, error) { return newTrackedBody("anew"), nil }
	for _, test := range []struct {
		name    string
		method  string
		status  int
		header  http.Header
		body    io.ReadCloser
		getBody func() (io.ReadCloser, error)
		want    string // its body
		never   bool
	}{
		{name: "without a body", method: "POST", status: 429},
		{name: "http.NoBody", method: "POST", status: 429, body: http.NoBody},
		{name: "with a body", method: "POST", status: 429, body: newTrackedBody("first"), getBody: body, want: "anew"},
		{name: "with a body of one time", method: "POST", status: 429, body: newTrackedBody("first"), never: true},
		{name: "with a body that is gone", method: "PUT", status: 429, body: newTrackedBody("first"), never: true, getBody: func() (io.ReadCloser, error) {
			return nil, errors.New("gone")
		}},
		{name: "with no body at all", method: "PUT", status: 429, body: newTrackedBody("first"), never: true, getBody: func() (io.ReadCloser, error) {
			return nil, nil
		}},
		{name: "overload, idempotent", method: "DELETE", status: 503},
		{name: "overload, not idempotent", method: "POST", status: 503, never: true},
		{name: "another overload", method: "PATCH", status: 529, never: true},
		{name: "overload, with a key", method: "POST", status: 503, header: http.Header{"Idempotency-Key": {"k"}}},
		{name: "overload, with a key of another name", method: "POST", status: 503, header: http.Header{"X-Idempotency-Key": nil}},
	} {
		t.Run(test.name, func(t *testing.T) {
			req := newRequest(t)
			req.Method, req.Header, req.Body, req.GetBody = test.method, test.header, test.body, test.getBody
			before := *req
			again := Again(req, test.status)
			require.Equal(t, before.Body, req.Body, "it is not written to")
			if test.never {
				require.Nil(t, again)
				return
			}
			require.Equal(t, req.URL, again.URL)
			require.Equal(t, req.Context(), again.Context())
			if test.want == "" {
				require.Equal(t, test.body, again.Body)
				return
			}
			text, err := io.ReadAll(again.Body)
			require.NoError(t, err)
			require.Equal(t, test.want, string(text))
		})
	}
}

func TestBodyFollows(t *testing.T) {
	for _, test := range []struct {
		name   string
		method string
		status int
		body   io.ReadCloser
		want   bool
	}{
		{"a body", "GET", 200, newTrackedBody("text"), true},
		{"none", "GET", 200, nil, false},
		{"http.NoBody", "GET", 200, http.NoBody, false},
		{"HEAD", "HEAD", 200, newTrackedBody(""), false},
		{"another protocol", "GET", 101, newTrackedBody("text"), false},
		{"a tunnel", "CONNECT", 200, newTrackedBody("text"), false},
		{"a tunnel, with another status", "CONNECT", 299, newTrackedBody("text"), false},
		{"no tunnel", "CONNECT", 407, newTrackedBody("text"), true},
	} {
		t.Run(test.name, func(t *testing.T) {
			req := newRequest(t)
			req.Method = test.method
			require.Equal(t, test.want, BodyFollows(req, &http.Response{StatusCode: test.status, Body: test.body}))
		})
	}
}

func TestMayRepeat(t *testing.T) {
	for method := range strings.FieldsSeq("GET HEAD OPTIONS TRACE PUT DELETE POST PATCH PURGE") {
		req := newRequest(t)
		req.Method = method
		require.True(t, MayRepeat(req, 429), method)
		require.Equal(t, !strings.Contains("POST PATCH PURGE", method), MayRepeat(req, 503), method)
	}
}
