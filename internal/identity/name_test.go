package identity

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// namesOf returns the Names of requests in different partitions.
func namesOf(t *testing.T) (names []string) {
	t.Helper()
	chosen := func(req *http.Request) Key { return Key{Host: nameOf(req) + " " + req.URL.Path} }
	for _, partition := range []func(*http.Request) Key{Default, chosen} {
		for _, req := range []*http.Request{
			request(t, testURL),
			request(t, "https://other.example.com/things"),
			request(t, testURL, "Authorization", "Bearer one"),
			request(t, testURL, "Authorization", "Bearer two"),
			request(t, testURL, "Authorization", "Bearer one", "X-Api-Key", "key"),
			request(t, "https://me:one@api.example.com/things"),
		} {
			k := partition(req)
			names = append(names, string(NameKey("secret").Partition(k, req)))
		}
	}
	return names
}

// TestNames runs itself in another process, whose hashes have another key.
func TestNames(t *testing.T) {
	const inside = "HEADWAY_TEST_NAMES"
	names := namesOf(t)
	if os.Getenv(inside) != "" {
		fmt.Println("names:", strings.Join(names, " "))
		return
	}
	other := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestNames$", "-test.v")
	other.Env = append(os.Environ(), inside+"=1")
	output, err := other.Output()
	require.NoError(t, err)
	_, line, found := strings.Cut(string(output), "names: ")
	require.True(t, found, "%s", output)
	line, _, _ = strings.Cut(line, "\n")
	require.Equal(t, names, strings.Fields(line))

	distinct := map[string]bool{}
	for _, name := range names {
		distinct[name] = true
	}
	require.Len(t, distinct, len(names))
}

func TestNamesOfOneClient(t *testing.T) {
	name := func(secret string, req *http.Request) Name {
		return NameKey(secret).Partition(Default(req), req)
	}
	want := name("secret", request(t, testURL, "X-Api-Key", "a", "X-Token", "b"))
	require.Equal(t, want, name("secret", request(t, testURL, "X-Token", "b", "X-Api-Key", "a")), "a header has no order")
	require.Equal(t, want, name("secret", request(t, "HTTPS://API.Example.com:443/other?query", "x-token", "b", "x-api-key", "a")))
	require.NotEqual(t, want, name("another", request(t, testURL, "X-Api-Key", "a", "X-Token", "b")))
	require.NotEqual(t, want, name("secret", request(t, testURL, "X-Api-Key", "b", "X-Token", "a")))
}

func TestNamesOfParts(t *testing.T) {
	key := NameKey("secret")
	require.Regexp(t, `^[0-9a-f]{32}$`, key.Of("kind", "a", "bc"))
	require.NotEqual(t, key.Of("kind", "a", "bc"), key.Of("kind", "ab", "c"))
	require.NotEqual(t, key.Of("kind", "a"), key.Of("other", "a"))
	require.NotEqual(t, key.Of("kind", "a"), NameKey("another").Of("kind", "a"))
}
