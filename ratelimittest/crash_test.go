package ratelimittest_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

// A handler's unexpected panic ends the test's program, and the output shows the handler's stack.
func TestTransportCrashes(t *testing.T) {
	tests := []struct {
		name string
		run  func(t *testing.T)
	}{
		{"before the header", func(t *testing.T) {
			t.Helper()
			tr := &ratelimittest.Transport{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { buggy() })}
			_ = look(t, tr, "GET", "http://api.test/", nil)
		}},
		{"after the client has left", func(t *testing.T) {
			t.Helper()
			tr := &ratelimittest.Transport{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				flush(w)
				<-r.Context().Done()
				buggy()
			})}
			resp, err := tr.RoundTrip(newRequest(t, "GET", "http://api.test/", nil))
			require.NoError(t, err)
			_ = resp.Body.Close()
			select {}
		}},
		{"in a body that the client does not expect", func(t *testing.T) {
			t.Helper()
			received := make(chan struct{})
			tr := &ratelimittest.Transport{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				flush(w)
				<-received
				buggy()
			})}
			resp, err := tr.RoundTrip(newRequest(t, "HEAD", "http://api.test/", nil))
			require.NoError(t, err)
			_ = resp.Body.Close()
			close(received)
			select {}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			output, done := failsInSubprocess(t, tt.run)
			if done {
				return
			}
			require.Contains(t, output, "panic: a bug")
			require.Contains(t, output, "ratelimittest_test.buggy(", "the handler's stack")
		})
	}
}

func buggy() { panic("a bug") }
