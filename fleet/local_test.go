package fleet

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/fleet/internal/files"
	"github.com/headway-go/headway/fleet/internal/fleettest"
	"github.com/headway-go/headway/internal/share"
)

// A folder is a store in a folder, in virtual time.
type folder struct {
	dir   string
	shift time.Duration // of the machine's clock
	hang  chan struct{} // see stubborn
}

func newFolder(t *testing.T) *folder {
	t.Helper()
	return &folder{dir: filepath.Join(t.TempDir(), "fleet"), hang: make(chan struct{}, 1)}
}

// Fleet implements fleettest.Store.
func (d *folder) Fleet(t *testing.T) share.Fleet {
	t.Helper()
	s, err := files.New(d.dir)
	require.NoError(t, err)
	s.Now = func() int64 { return time.Now().Add(d.shift).UnixMilli() }
	f, err := New(&stubborn{s, d.hang}, Options{Key: []byte(fleettest.Key)})
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// partition returns the path of the only partition's file.
func (d *folder) partition() string {
	paths, _ := filepath.Glob(filepath.Join(d.dir, "partition-*"))
	return paths[0]
}

// write replaces the file of the partition by what f makes of it.
func (d *folder) write(f func(data string) string) {
	data, _ := os.ReadFile(d.partition())
	_ = os.WriteFile(d.partition(), []byte(f(string(data))), 0o600)
}

func folderRows() []fleettest.Loss[*folder] {
	once := func(f func(data string) string) func(*folder) func() {
		return func(d *folder) func() {
			d.write(f)
			return func() {}
		}
	}
	shift := func(by time.Duration) func(*folder) func() {
		return func(d *folder) func() {
			d.shift = by
			return func() { d.shift = 0 }
		}
	}
	return []fleettest.Loss[*folder]{
		{Name: "a process stands still that has the lock", IsLost: true, Message: "deadline", Lose: func(d *folder) func() {
			d.hang <- struct{}{} // a lock of the system would stop virtual time
			return func() { <-d.hang }
		}},
		{Name: "the disk is full", IsLost: true, Message: "no space left", Lose: func(d *folder) func() {
			path := d.partition() + ".new"
			return fleettest.Each(time.Millisecond, func() { _ = os.Symlink("/dev/full", path) })
		}},
		{Name: "other users may write", IsLost: true, Message: "mode must be 0700", Lose: func(d *folder) func() {
			_ = os.Chmod(d.dir, 0o770) //nolint:gosec // what must not be
			return func() { _ = os.Chmod(d.dir, 0o700) }
		}},
		{Name: "a folder is where the file was", IsLost: true, Message: "file exists", Lose: func(d *folder) func() {
			path := d.partition()
			_ = os.Remove(path)
			_ = os.Mkdir(path, 0o700)
			return func() { _ = os.Remove(path) }
		}},
		{Name: "it vanishes", Lose: func(d *folder) func() { _ = os.RemoveAll(d.dir); return func() {} }},
		{Name: "it vanishes each second", Blinks: true, Lose: func(d *folder) func() {
			return fleettest.Each(time.Second, func() { _ = os.RemoveAll(d.dir) })
		}},
		{Name: "half of a file", Lose: once(func(data string) string { return data[:len(data)/2] })},
		{Name: "garbage", Lose: once(func(string) string { return "\x00\xff garbage" })},
		{Name: "another version", Lose: once(func(data string) string { return strings.Replace(data, "headway", "headway 2", 1) })},
		{Name: "the machine has started anew", Lose: once(func(data string) string { return strings.Replace(data, "\n", "x\n", 1) })},
		{Name: "its clock jumps ahead", Blinks: true, Lose: shift(time.Hour)},
		{Name: "its clock jumps back", Blinks: true, Lose: shift(-time.Hour)},
	}
}

// Two members go on through faults of the folder, and are told once.
func TestFolderLost(t *testing.T) {
	for _, row := range folderRows() {
		t.Run(row.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { row.Run(t, newFolder(t)) })
		})
	}
}

// Members without a key of their own have the folder's. Nobody else can read it.
func TestKeyOfAFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "with its parents")
	var keys [][]byte
	for range 2 {
		f, err := Local(dir, Options{})
		require.NoError(t, err)
		defer func() { require.NoError(t, f.Close()) }()
		keys = append(keys, f.Key())
	}
	require.Equal(t, keys[0], keys[1])
	for _, name := range []string{".", "key"} {
		info, err := os.Stat(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Zero(t, info.Mode().Perm()&0o077, name)
	}
	own, err := Local(dir, Options{Key: []byte(fleettest.Key)})
	require.NoError(t, err)
	require.NotEqual(t, keys[0], own.Key())
	require.NoError(t, own.Close())
	_, err = Local(dir, Options{Key: []byte("short")})
	require.ErrorIs(t, err, ErrKey)
}

func TestUserDir(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", "/run/user/7")
	dir, err := UserDir("api.example.com")
	require.NoError(t, err)
	require.Equal(t, filepath.FromSlash("/run/user/7/headway/api.example.com"), dir)
	t.Setenv("XDG_RUNTIME_DIR", "")
	t.Setenv("HOME", "/home/somebody")
	dir, err = UserDir("api.example.com")
	require.NoError(t, err)
	require.Contains(t, dir, "api.example.com")
	for _, name := range []string{"", ".", "..", "a/b", "/a"} {
		_, err := UserDir(name)
		require.ErrorIs(t, err, fs.ErrInvalid, name)
	}
}
