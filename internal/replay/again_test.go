package replay

import (
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// A body is gone if GetBody returns none. What else is sent again is tested in internal/test/refusals.
func TestNotAgainWithoutABody(t *testing.T) {
	req := newRequest(t)
	req.Body = newTrackedBody("first")
	req.GetBody = func() (io.ReadCloser, error) { return nil, nil }
	require.Nil(t, Again(req, 429))
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
		{"HEAD", "HEAD", 200, newTrackedBody(""), false},
		{"another protocol", "GET", 101, newTrackedBody("text"), false},
		{"a tunnel", "CONNECT", 200, newTrackedBody("text"), false},
		{"no tunnel", "CONNECT", 407, newTrackedBody("text"), true},
	} {
		t.Run(test.name, func(t *testing.T) {
			req := newRequest(t)
			req.Method = test.method
			require.Equal(t, test.want, BodyFollows(req, &http.Response{StatusCode: test.status, Body: test.body}))
		})
	}
}
