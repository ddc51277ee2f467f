package proxy

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/kit/child"
)

// The proxies of several machines share quotas through a store, those of one machine through a folder. Neither a store nor an
// error has a secret.
func TestFleet(t *testing.T) {
	store := miniredis.RunT(t)
	store.RequireAuth("hunter2")
	key := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(key, []byte(rand.Text()), 0o600))
	folder := filepath.Join(t.TempDir(), "fleet")
	requireSharing(t, Fleet{URL: "redis://:hunter2@" + store.Addr() + "/0", KeyFile: key}, store.Dump)
	requireSharing(t, Fleet{Folder: folder}, func() string {
		files, err := filepath.Glob(filepath.Join(folder, "partition-"+strings.Repeat("[0-9a-f]", 32))) // not one that is being replaced
		require.NoError(t, err)
		require.Len(t, files, 1)
		text, err := os.ReadFile(files[0])
		require.NoError(t, err)
		return files[0] + string(text)
	})
	for want, fleet := range map[string]Fleet{
		"URL of the fleet":     {URL: "http://:hunter2@a", KeyFile: key},
		"must be such as":      {URL: "redis://:hunter2@:x/", KeyFile: key},
		"the key of the fleet": {URL: "redis://" + store.Addr(), KeyFile: filepath.Join(t.TempDir(), "missing")},
		"not a directory":      {Folder: key},
	} {
		log, _ := newLog()
		_, err := build(Config{Upstreams: []Upstream{{To: "http://127.0.0.1"}}, Fleet: fleet}, log)
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "hunter2")
	}
}

// requireSharing requires that two proxies of a fleet know of each other, and that what is stored has no secret.
func requireSharing(t *testing.T, fleet Fleet, stored func() string) {
	t.Helper()
	upstream := listen(t, reporting)
	config := Config{Upstreams: []Upstream{{To: upstream.URL, PartitionHeader: "X-Tenant"}}, Fleet: fleet}
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
		require.NotContains(t, stored(), secret)
	}
}

// A proxy whose fleet has lost its store, or never had one, serves its clients, and says so once.
func TestFleetWithoutStore(t *testing.T) {
	key := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(key, []byte(rand.Text()), 0o600))
	upstream := listen(t, reporting)
	log, text := newLog()
	p, err := build(Config{Upstreams: []Upstream{{To: upstream.URL}}, Fleet: Fleet{URL: "redis://:hunter2@" + child.FreeAddress(t), KeyFile: key}}, log)
	require.NoError(t, err)
	for range 3 {
		require.Equal(t, 200, get(t.Context(), p.server.Load(), "/").StatusCode)
	}
	line := text.await("fleet store is unreachable")
	require.Contains(t, line, "connection refused")
	require.Contains(t, textOf(t, get(t.Context(), p.ownPages(), metricsPath)), "headway_proxy_fleet_store_up 0")
	p.load = func() (Config, error) {
		return Config{Upstreams: []Upstream{{To: upstream.URL, MaxRetries: -1}}, Fleet: p.config.Fleet}, nil
	}
	p.reload()
	require.Contains(t, textOf(t, get(t.Context(), p.ownPages(), metricsPath)), "headway_proxy_fleet_store_up 1", "who has seen its loss is gone")
	p.close()
	require.NotContains(t, text.String(), "hunter2")
}
