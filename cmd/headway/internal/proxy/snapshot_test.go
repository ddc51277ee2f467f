package proxy

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

// What was learned outlives the proxy: after a restart a used-up quota is still used up.
func TestSnapshot(t *testing.T) {
	for _, header := range []string{"", "X-Tenant"} {
		synctest.Test(t, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "limits")
			base, allowed := limited(&ratelimittest.FixedWindow{Policy: ratelimittest.Per(1, time.Hour)})
			start := func() *proxy {
				log, text := newLog()
				p, err := build(Config{Upstreams: []Upstream{{To: api, PartitionHeader: header}}, Snapshot: file}, log)
				require.NoError(t, err)
				require.Empty(t, text.String())
				p.upstreams[0].base = base
				return p
			}
			first := start()
			require.Equal(t, 200, get(t.Context(), first.server.Load(), "/", "X-Api-Key: a", "X-Tenant: b").StatusCode)
			first.save()
			for _, name := range []string{file, keyFile(file)} {
				info, err := os.Stat(name)
				require.NoError(t, err)
				require.Equal(t, os.FileMode(0o600), info.Mode())
			}
			second := start()
			resp := get(t.Context(), second.server.Load(), "/", "X-Api-Key: a", "X-Tenant: b", maxWaitField+": 1s")
			require.Equal(t, 429, resp.StatusCode)
			require.Len(t, allowed.queries(), 1)
			second.save()
			entries, err := os.ReadDir(filepath.Dir(file))
			require.NoError(t, err)
			require.Len(t, entries, 2, "no temporary files are left")
		})
	}
}

// A snapshot that cannot be used is a line in the log, and the proxy starts without it.
func TestSnapshotThatCannotBeUsed(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"no JSON", "x", "is no snapshot"},
		{"cut off", `{"api.example.com":"aGVh`, "is no snapshot"},
		{"of another key", `{"api.example.com":"aGVhZHdheQ=="}`, "upstream api.example.com"},
	} {
		t.Run(row.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "limits")
			require.NoError(t, os.WriteFile(file, []byte(row.text), 0o600))
			log, text := newLog()
			p, err := build(Config{Upstreams: []Upstream{{To: api}}, Snapshot: file}, log)
			require.NoError(t, err)
			require.Len(t, text.lines("snapshot is not used"), 1)
			require.Contains(t, text.String(), row.want)
			p.save()
			require.Empty(t, text.lines("snapshot is not written"))
		})
	}
}

// A file that cannot be written is a line in the log. A key that cannot be read ends the start.
func TestSnapshotWithoutPlace(t *testing.T) {
	folder := t.TempDir()
	log, text := newLog()
	p, err := build(Config{Upstreams: []Upstream{{To: api}}, Snapshot: filepath.Join(folder, "limits")}, log)
	require.NoError(t, err)
	p.config.Snapshot = t.TempDir() // in whose place no file can be put
	p.save()
	require.Len(t, text.lines("snapshot is not written"), 1)
	left, err := filepath.Glob(p.config.Snapshot + "?*")
	require.NoError(t, err)
	require.Empty(t, left, "no temporary file is left")

	_, err = build(Config{Upstreams: []Upstream{{To: api}}, Snapshot: filepath.Join(folder, "missing", "limits")}, log)
	require.ErrorContains(t, err, "the key of the snapshot")
	require.NoError(t, os.WriteFile(keyFile(filepath.Join(folder, "short")), []byte("short"), 0o600))
	_, err = build(Config{Upstreams: []Upstream{{To: api}}, Snapshot: filepath.Join(folder, "short")}, log)
	require.ErrorContains(t, err, "less than 16 bytes")
}
