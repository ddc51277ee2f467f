package ratelimittest_test

import (
	"net/http"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

// crash names the crash for which a test runs itself again.
const crash = "RATELIMITTEST_CRASH"

// A handler that panics ends the program of a test that does not expect it, and
// shows where.
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
		{"after the client has gone", func(t *testing.T) {
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
		{"where no body is expected", func(t *testing.T) {
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
			if os.Getenv(crash) != "" {
				tt.run(t)
				return
			}
			program := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^"+t.Name()+"$")
			program.Env = append(os.Environ(), crash+"=1")
			output, err := program.CombinedOutput()
			var exit *exec.ExitError
			require.ErrorAs(t, err, &exit)
			require.Contains(t, string(output), "panic: a bug")
			require.Contains(t, string(output), "ratelimittest_test.buggy(", "the handler's stack")
		})
	}
}

func buggy() { panic("a bug") }
