package child_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/kit/child"
)

// The first address that a program prints counts. Its output has both streams, and End ends it.
func TestStart(t *testing.T) {
	sh := child.Find("there-is-no-such-program", "sh")
	if sh == "" {
		t.Skip("there is no sh")
	}
	const script = `echo hello >&2; printf 'at a\nat b\n'; exec sleep 60`
	p, address := child.Start(t, exec.Command(sh, "-c", script), func(line string) string { //nolint:noctx // it ends with the test
		address, isThere := strings.CutPrefix(line, "at ")
		if !isThere {
			return ""
		}
		return address
	})
	require.Equal(t, "a", address)
	require.Equal(t, -1, p.End())
	require.Equal(t, -1, p.End(), "again")
	require.Equal(t, []string{"hello", "at a", "at b"}, p.Output())
}

func TestFind(t *testing.T) {
	require.Empty(t, child.Find("there-is-no-such-program"))
	require.Empty(t, child.Find())
}

// nginx passes requests on, with and without a master, and obeys the directives.
func TestNginx(t *testing.T) {
	child.Need(t, "HEADWAY_INTEROP", "install nginx-light", "nginx")
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "served") }))
	t.Cleanup(upstream.Close)
	for name, n := range map[string]child.Nginx{
		"alone":        {Location: "add_header A b;"},
		"with workers": {Workers: 2, HTTP: "add_header A b;"},
	} {
		t.Run(name, func(t *testing.T) {
			resp, err := http.Get(n.Start(t, upstream.URL)) //nolint:noctx // nginx ends with the test
			require.NoError(t, err)
			text, err := io.ReadAll(resp.Body)
			require.NoError(t, err)
			require.NoError(t, resp.Body.Close())
			require.Equal(t, "served", string(text))
			require.Equal(t, "b", resp.Header.Get("A"))
		})
	}
}
