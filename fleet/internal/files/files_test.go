package files

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/fleet/internal/store"
	"github.com/headway-go/headway/fleet/internal/store/storetest"
)

// What a store in a folder does beyond the rules of all stores, see store_test.go and lost_test.go.

func newStore(t *testing.T) *Store {
	t.Helper()
	s, err := New(filepath.Join(t.TempDir(), "fleet"))
	require.NoError(t, err)
	return s
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
			_, err := New(path)
			require.ErrorContains(t, err, name)
			if name != "not a directory" { // that is the system's error
				require.ErrorIs(t, err, ErrFolder)
			}
		})
	}
}

// Machines that share a folder have clocks of their own, so a folder on a network file system is refused, also one that is moved
// there later.
func TestNetworkFileSystems(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells")
	}
	for name, row := range map[string]struct {
		magic   uint32 // as statfs(2) lists them
		refused bool
	}{
		"nfs": {0x6969, true}, "cifs": {0xff534d42, true}, "smb2": {0xfe534d42, true}, "smb": {0x517b, true}, "coda": {0x73757245, true},
		"afs": {0x5346414f, true}, "ceph": {0xc36400, true},
		"tmpfs": {0x01021994, false}, "ext4": {0xef53, false}, "btrfs": {0x9123683e, false}, "overlayfs": {0x794c7630, false},
	} {
		s := newStore(t)
		s.fileSystem = func(dir string) (uint32, error) { require.Equal(t, s.dir, dir); return row.magic, nil }
		_, err := s.Renew(t.Context(), "a", storetest.Renewals(1))
		require.Equal(t, row.refused, errors.Is(err, ErrFolder), name)
		if row.refused {
			require.ErrorContains(t, err, "on a network file system")
		} else {
			require.NoError(t, err)
		}
	}
}

// Members that renew at once wait for each other: no record is lost.
func TestMembersAtOnce(t *testing.T) {
	s := newStore(t)
	require.NoError(t, s.lock.Lock()) // so that all wait
	var members sync.WaitGroup
	for i := range 20 {
		other, err := New(s.dir)
		require.NoError(t, err)
		members.Go(func() {
			_, err := other.Renew(t.Context(), strconv.Itoa(i), storetest.Renewals(1))
			assert.NoError(t, err)
		})
	}
	require.NoError(t, s.lock.Unlock())
	members.Wait()
	c, err := s.read(filepath.Join(s.dir, prefix+storetest.NameOf(0)))
	require.NoError(t, err)
	require.Len(t, c.Records, 20)
}

// A member that has waited for the lock for too long changes nothing.
func TestLockThatComesTooLate(t *testing.T) {
	s := newStore(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.Renew(ctx, "a", storetest.Renewals(1))
	require.ErrorIs(t, err, context.Canceled)
	require.NoFileExists(t, filepath.Join(s.dir, prefix+storetest.NameOf(0)))
}

// A folder that is removed while a member writes is made anew.
func TestFolderThatIsRemovedMeanwhile(t *testing.T) {
	s, calls := newStore(t), 0
	require.NoError(t, s.change(t.Context(), storetest.Name, func(int64, *store.Contents) error {
		if calls++; calls > 1 {
			return nil
		}
		return os.RemoveAll(s.dir)
	}))
	require.Equal(t, 2, calls)
	require.FileExists(t, filepath.Join(s.dir, prefix+storetest.Name))
}

// A member that runs keeps the key of the folder, so that a process that begins has the same. A key that a failure of power has
// cut is made anew.
func TestKeyStays(t *testing.T) {
	s := newStore(t)
	require.NoError(t, os.WriteFile(s.keyFile(), nil, 0o600))
	key, err := s.Key()
	require.NoError(t, err)
	require.Greater(t, len(key), store.LeastKey)
	require.NoError(t, os.RemoveAll(s.dir))
	storetest.Renew(t, s, "a", "x")
	other, err := New(s.dir)
	require.NoError(t, err)
	again, err := other.Key()
	require.NoError(t, err)
	require.Equal(t, key, again)
}

// What another machine uses is left to it, until it is gone.
func TestFolderOfAnotherMachine(t *testing.T) {
	s := newStore(t)
	storetest.Renew(t, s, "a", "x")
	other, err := New(s.dir)
	require.NoError(t, err)
	other.started = "another"
	_, err = other.Renew(t.Context(), "b", []store.Renewal{{Name: storetest.Name, Record: "x", Keep: time.Minute}})
	require.ErrorContains(t, err, "in use by another machine")
	require.Nil(t, storetest.Renew(t, s, "a", "x").All, "it goes on")
	long := time.Now().Add(-foreignFor)
	require.NoError(t, os.Chtimes(filepath.Join(s.dir, prefix+storetest.Name), long, long))
	require.NotNil(t, storetest.Renew(t, other, "b", "x").All)
}

// Files that nobody has renewed for hours are removed when the next process begins.
func TestOldFilesAreRemoved(t *testing.T) {
	s := newStore(t)
	storetest.Renew(t, s, "a", "x")
	old, kept := filepath.Join(s.dir, prefix+"old.new"), filepath.Join(s.dir, "notes")
	long := time.Now().Add(-orphanFor - time.Minute)
	for _, path := range []string{old, kept} {
		require.NoError(t, os.WriteFile(path, nil, 0o600))
		require.NoError(t, os.Chtimes(path, long, long))
	}
	_, err := New(s.dir)
	require.NoError(t, err)
	require.NoFileExists(t, old)
	require.FileExists(t, kept)
	require.Nil(t, storetest.Renew(t, s, "b", "x").All, "the partition is there")
}

func TestStore(t *testing.T) {
	storetest.Test(t, func(t *testing.T) store.Store {
		t.Helper()
		return newStore(t)
	})
	storetest.TestInTime(t, func(t *testing.T) (store.Store, func(time.Duration)) {
		t.Helper()
		s, by := newStore(t), time.Duration(0)
		s.Now = func() int64 { return time.Now().Add(by).UnixMilli() }
		return s, func(d time.Duration) { by = d }
	}, true)
}

// A member's renewal, among others.
func BenchmarkRenew(b *testing.B) {
	for _, members := range []int{30, 300} {
		b.Run(strconv.Itoa(members), func(b *testing.B) {
			s, err := New(filepath.Join(b.TempDir(), "fleet"))
			require.NoError(b, err)
			usual := strings.Repeat("x", 250) // bytes of a record, or of an agreement
			batch := []store.Renewal{{Name: storetest.Name, Record: usual, Keep: time.Minute}}
			told := store.Outcome{Name: storetest.Name, Next: time.Second, Agreements: make(map[string]string)}
			for i := range members {
				all, err := s.Renew(b.Context(), fmt.Sprintf("%016d", i), batch)
				require.NoError(b, err)
				told.Agreements[fmt.Sprintf("%016d", i)] = usual
				if i == 0 {
					told.Claim = all[0].All.Claim
				}
			}
			require.NoError(b, s.Agree(b.Context(), []store.Outcome{told})[0])
			for b.Loop() {
				_, err := s.Renew(b.Context(), fmt.Sprintf("%016d", 1), batch)
				require.NoError(b, err)
			}
		})
	}
}
