package headway

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// stableNames are those of requests that differ in what partitions depend on.
func stableNames(t *testing.T) (names []string) {
	t.Helper()
	chosen := func(req *http.Request) string { return DefaultPartition(req) + " " + req.URL.Path }
	for _, partition := range []func(*http.Request) string{nil, chosen} {
		transport := &Transport{Partition: partition, SnapshotKey: testSecret()}
		transport.once.Do(transport.start)
		for _, req := range []*http.Request{
			with(t, testURL),
			with(t, "https://other.example.com/things"),
			with(t, testURL, "Authorization", "Bearer one"),
			with(t, testURL, "Authorization", "Bearer two"),
			with(t, testURL, "Authorization", "Bearer one", "X-Api-Key", "key"),
			with(t, "https://me:one@api.example.com/things"),
		} {
			var k key
			require.True(t, transport.paces(req, &k))
			names = append(names, string(transport.partitions.shelf.keys.names.stableName(&k, req)))
		}
	}
	return names
}

// TestStableNames runs itself in another process, where all hashes are keyed anew.
func TestStableNames(t *testing.T) {
	const inside = "HEADWAY_TEST_STABLE_NAMES"
	names := stableNames(t)
	if os.Getenv(inside) != "" {
		fmt.Println("names:", strings.Join(names, " "))
		return
	}
	other := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestStableNames$", "-test.v")
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

func TestStableNamesOfOneClient(t *testing.T) {
	name := func(secret string, req *http.Request) stableName {
		keys := newSnapshotKeys([]byte(secret))
		var k key
		k.setDefault(req)
		return keys.names.stableName(&k, req)
	}
	want := name("secret", with(t, testURL, "X-Api-Key", "a", "X-Token", "b"))
	require.Equal(t, want, name("secret", with(t, testURL, "X-Token", "b", "X-Api-Key", "a")), "a header has no order")
	require.Equal(t, want, name("secret", with(t, "HTTPS://API.Example.com:443/other?query", "x-token", "b", "x-api-key", "a")))
	require.NotEqual(t, want, name("another", with(t, testURL, "X-Api-Key", "a", "X-Token", "b")))
	require.NotEqual(t, want, name("secret", with(t, testURL, "X-Api-Key", "b", "X-Token", "a")))
	keys := newSnapshotKeys(testSecret())
	require.NotEqual(t, keys.names.name("kind", "a", "bc"), keys.names.name("kind", "ab", "c"))
}

// A snapshot says nothing of what the program asked for, and on whose behalf.
func TestSnapshotShowsNoSecret(t *testing.T) {
	transport := warmed(t, inTurn(usedUp()), nil)
	chosen := warmed(t, inTurn(usedUp()), nil)
	chosen.Partition = func(*http.Request) string { return "hunter2" }
	for _, transport := range []*Transport{transport, chosen} {
		resp, err := transport.RoundTrip(with(t, "https://me:hunter2@api.example.com/hunter2?hunter2", "Authorization", "Bearer hunter2", "X-Api-Key", "hunter2"))
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		saved := transport.partitions.saved(transport.clock().Now())
		text := string(append(takeSnapshot(t, transport), saved[0].Pacer...)) // which is in it as base64
		for _, secret := range []string{"hunter2", "example", "https", "Bearer", string(testSecret())} {
			require.NotContains(t, text, secret)
		}
		require.Contains(t, text, "minute", "what the server said is in it")
	}
}
