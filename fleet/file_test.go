package fleet

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/stretchr/testify/require"
)

// What a store in a folder does beyond the rules of all stores, see store_test.go and lost_test.go.

func newTestFiles(t *testing.T) *files {
	t.Helper()
	s, err := newFiles(filepath.Join(t.TempDir(), "fleet"))
	require.NoError(t, err)
	return s
}

// A folder is a store in a folder, in virtual time.
type folder struct {
	dir   string
	shift time.Duration // of the machine's clock
}

func newFolder(t *testing.T) *folder {
	t.Helper()
	return &folder{dir: filepath.Join(t.TempDir(), "fleet")}
}

func (d *folder) fleet(t *testing.T) *Fleet {
	t.Helper()
	s, err := newFiles(d.dir)
	require.NoError(t, err)
	s.now = func() int64 { return time.Now().Add(d.shift).UnixMilli() }
	f, err := newFleet(s, []byte(testKey))
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// partition returns the path of the only partition's file.
func (d *folder) partition() string {
	paths, _ := filepath.Glob(filepath.Join(d.dir, prefix+"*"))
	return paths[0]
}

// write replaces the file of the partition by what f makes of it.
func (d *folder) write(f func(data string) string) {
	data, _ := os.ReadFile(d.partition())
	_ = os.WriteFile(d.partition(), []byte(f(string(data))), 0o600)
}

func folderRows() []lossRow[*folder] {
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
	return []lossRow[*folder]{
		{name: "a process stands still that has the lock", isLost: true, message: "deadline", lose: func(d *folder) func() {
			other := flock.New(filepath.Join(d.dir, lockName))
			_ = other.Lock()
			return func() { _ = other.Unlock() }
		}},
		{name: "the disk is full", isLost: true, message: "no space left", lose: func(d *folder) func() {
			path := d.partition() + ".new"
			return each(time.Millisecond, func() { _ = os.Symlink("/dev/full", path) })
		}},
		{name: "other users may write", isLost: true, message: "mode must be 0700", lose: func(d *folder) func() {
			_ = os.Chmod(d.dir, 0o770) //nolint:gosec // what must not be
			return func() { _ = os.Chmod(d.dir, 0o700) }
		}},
		{name: "a folder is where the file was", isLost: true, message: "file exists", lose: func(d *folder) func() {
			path := d.partition()
			_ = os.Remove(path)
			_ = os.Mkdir(path, 0o700)
			return func() { _ = os.Remove(path) }
		}},
		{name: "it vanishes", lose: func(d *folder) func() { _ = os.RemoveAll(d.dir); return func() {} }},
		{name: "it vanishes each second", blinks: true, lose: func(d *folder) func() {
			return each(time.Second, func() { _ = os.RemoveAll(d.dir) })
		}},
		{name: "half of a file", lose: once(func(data string) string { return data[:len(data)/2] })},
		{name: "garbage", lose: once(func(string) string { return "\x00\xff garbage" })},
		{name: "another version", lose: once(func(data string) string { return strings.Replace(data, "headway", "headway 2", 1) })},
		{name: "the machine has started anew", lose: once(func(data string) string { return strings.Replace(data, "\n", "x\n", 1) })},
		{name: "its clock jumps ahead", blinks: true, lose: shift(time.Hour)},
		{name: "its clock jumps back", blinks: true, lose: shift(-time.Hour)},
	}
}

// A folder that another user could change is refused.
func TestFoldersThatAreRefused(t *testing.T) {
	for name, prepare := range map[string]func(path string) error{
		"a symbolic link": func(path string) error {
			if err := os.Mkdir(path+"-real", 0o700); err != nil {
				return err
			}
			return os.Symlink(path+"-real", path)
		},
		"open to other users": func(path string) error { return os.Mkdir(path, 0o755) }, //nolint:gosec // what must not be
		"of another user": func(path string) error {
			if os.Geteuid() != 0 {
				t.Skip("only root can give a folder away")
			}
			if err := os.Mkdir(path, 0o700); err != nil {
				return err
			}
			return os.Chown(path, 12345, 12345)
		},
		"not a directory": func(path string) error { return os.WriteFile(path, nil, 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "fleet")
			require.NoError(t, prepare(path))
			_, err := Local(path, Options{})
			require.ErrorContains(t, err, name)
			if name != "not a directory" { // that is the system's error
				require.ErrorIs(t, err, ErrFolder)
			}
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
	own, err := Local(dir, Options{Key: []byte(testKey)})
	require.NoError(t, err)
	require.NotEqual(t, keys[0], own.Key())
	require.NoError(t, own.Close())
	_, err = Local(dir, Options{Key: []byte("short")})
	require.ErrorIs(t, err, ErrKey)
}

// Files that nobody has renewed for hours are removed when the next process begins.
func TestOldFilesAreRemoved(t *testing.T) {
	s := newTestFiles(t)
	renewOnce(t, s, "a", "x")
	old, kept := filepath.Join(s.dir, prefix+"old.new"), filepath.Join(s.dir, "notes")
	long := time.Now().Add(-orphanFor - time.Minute)
	for _, path := range []string{old, kept} {
		require.NoError(t, os.WriteFile(path, nil, 0o600))
		require.NoError(t, os.Chtimes(path, long, long))
	}
	_, err := newFiles(s.dir)
	require.NoError(t, err)
	require.NoFileExists(t, old)
	require.FileExists(t, kept)
	require.Nil(t, renewOnce(t, s, "b", "x").all, "the partition is there")
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
