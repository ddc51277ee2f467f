package trial_test

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/kit/child"
)

// The variables of the environment that make the test's program one of the servers of TestLatency.
const (
	roleVariable = "HEADWAY_TRIAL_ROLE"
	toVariable   = "HEADWAY_TRIAL_TO" // the URL behind a reverseProxy
)

// The roles.
const (
	silentUpstream  = "silent upstream"
	limitedUpstream = "limited upstream"
	reverseProxy    = "reverse proxy"
)

const (
	// listensAt begins the line that says where a role listens.
	listensAt = "listens at "
	// contentLength is the length of each response's content.
	contentLength = 1 << 10
	// mostIdle is the proxy's number of idle connections to an upstream.
	mostIdle = 256
)

// play serves in a role until the process is ended.
func play(role string) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it does not wait
	if err == nil {
		fmt.Fprintln(os.Stderr, listensAt+listener.Addr().String())
		err = http.Serve(listener, handlerOf(role)) //nolint:gosec // without timeouts, as the test ends the process
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func handlerOf(role string) http.Handler {
	content := bytes.Repeat([]byte("x"), contentLength)
	return map[string]http.Handler{
		silentUpstream: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(content)
		}),
		// The quota is as much as headway believes a server, so that no request waits.
		limitedUpstream: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("RateLimit-Policy", `"default";q=6000000;w=60`)
			w.Header().Set("RateLimit", `"default";r=5999999;t=60`)
			_, _ = w.Write(content)
		}),
		reverseProxy: plainProxy(),
	}[role]
}

// plainProxy is a reverse proxy of net/http/httputil, which the proxy of headway is made of, with the same transport.
func plainProxy() http.Handler {
	base := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // nobody replaces it
	base.DisableCompression = true
	base.MaxIdleConns, base.MaxIdleConnsPerHost = 0, mostIdle
	target, _ := url.Parse(os.Getenv(toVariable)) // without it the role is another
	return &httputil.ReverseProxy{Transport: base, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
}

// startRole starts a process of its own with a role. to is the URL behind a reverseProxy, and else "".
func startRole(t *testing.T, role, to string) (url string) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self) //nolint:noctx // it ends with the test
	cmd.Env = append(os.Environ(), roleVariable+"="+role, toVariable+"="+to)
	_, address := child.Start(t, cmd, func(line string) string {
		address, isThere := strings.CutPrefix(line, listensAt)
		if !isThere {
			return ""
		}
		return address
	})
	return "http://" + address
}
