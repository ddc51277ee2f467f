package proxy

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/kit/child"
)

// The proxies of several machines share quotas through a store. Neither the store nor an error has a secret.
func TestFleet(t *testing.T) {
	store := miniredis.RunT(t)
	store.RequireAuth("hunter2")
	key := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(key, newSecret(), 0o600))
	upstream := listen(t, reporting)
	config := Config{
		Upstreams: []Upstream{{To: upstream.URL, PartitionHeader: "X-Tenant"}},
		Fleet:     Fleet{URL: "redis://:hunter2@" + store.Addr() + "/0", KeyFile: key},
	}
	doors := []*door{open(t, upstream, config), open(t, upstream, config)}
	require.Eventually(t, func() bool {
		for _, d := range doors {
			req := request(t, "GET", d.url, nil)
			req.Header.Set("X-Tenant", "tenant")
			resp, err := d.client.Do(req)
			require.NoError(t, err)
			require.NoError(t, resp.Body.Close())
		}
		for _, d := range doors {
			if states := d.proxy.upstreams[0].transport.State(); states[0].Members != 2 || !states[0].Limits[0].Agreed {
				return false
			}
		}
		return true
	}, 30*time.Second, 100*time.Millisecond)
	for _, secret := range []string{"tenant", "hunter2"} {
		require.NotContains(t, store.Dump(), secret)
	}
	for _, url := range []string{"hunter2", "http://:hunter2@a", "redis://:hunter2@:x/"} {
		config.Fleet.URL = url
		log, _ := newLog()
		_, err := build(config, log)
		require.Error(t, err)
		require.NotContains(t, err.Error(), "hunter2")
	}
	config.Fleet.URL = "redis://" + store.Addr()
	config.Fleet.KeyFile = filepath.Join(t.TempDir(), "missing")
	log, _ := newLog()
	_, err := build(config, log)
	require.ErrorContains(t, err, "the key of the fleet")
}

// A proxy whose fleet has lost its store, or never had one, serves its clients, and says so once.
func TestFleetWithoutStore(t *testing.T) {
	key := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(key, newSecret(), 0o600))
	upstream := listen(t, reporting)
	log, text := newLog()
	p, err := build(Config{Upstreams: []Upstream{{To: upstream.URL}}, Fleet: Fleet{URL: "redis://:hunter2@" + child.FreeAddress(t), KeyFile: key}}, log)
	require.NoError(t, err)
	for range 3 {
		require.Equal(t, 200, get(t.Context(), p.server, "/").StatusCode)
	}
	line := text.await("fleet store is unreachable")
	require.Contains(t, line, "connection refused")
	p.close()
	require.NotContains(t, text.String(), "hunter2")
}
