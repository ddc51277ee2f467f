// Package files has the store of a fleet in a folder.
package files

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/headway-go/headway/fleet/internal/store"
)

const (
	lockName   = "lock"
	prefix     = "partition-"     // of the names of files
	magic      = "headway "       // at the beginning of a file
	mostFile   = 64 << 20         // bytes of a partition that are read. 4096 members need some 4 MiB
	lockPoll   = time.Millisecond // between attempts of a new member to get the lock. Others hold it for some 0.2 ms
	foreignFor = 3 * time.Second  // what another machine has not replaced for so long is not in use any more: its members have no parts
	orphanFor  = 2 * time.Hour    // files of that age belong to nobody: a partition is kept for an hour at most
)

// A Store is a folder: a file for each partition, which is replaced under a lock. The lock ends with the process
// that has it, and a file is replaced whole. So it does not matter when a process is killed.
type Store struct {
	Now func() int64 // milliseconds, by the same clock in all processes of this machine

	dir        string
	lock       *flock.Flock
	started    string // names the start of that clock
	key        []byte // of the folder, if this process uses it
	fileSystem func(dir string) (magic uint32, err error)
}

// New returns a store in the folder dir, which it makes if there is none. It removes what was left behind for hours.
func New(dir string) (*Store, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	s := &Store{dir: dir, lock: flock.New(filepath.Join(dir, lockName)), fileSystem: fileSystem}
	s.Now, s.started = machineClock()
	if err := s.open(); err != nil {
		return nil, err
	}
	return s, s.sweep()
}

// open makes the folder if it is not there, and checks that no other user can change what is in it.
func (s *Store) open() error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	info, err := os.Lstat(s.dir)
	if err != nil {
		return err
	}
	kind, err := s.fileSystem(s.dir)
	if err != nil {
		return err
	}
	if err = checkFolder(info); err == nil && isNetwork(kind) {
		err = errors.New("on a network file system")
	}
	if err != nil {
		return fmt.Errorf("%w: %s: %w", ErrFolder, s.dir, err)
	}
	return nil
}

// sweep removes files that belong to nobody any more.
func (s *Store) sweep() error {
	all, err := os.ReadDir(s.dir)
	for _, entry := range all {
		info, err := entry.Info()
		if err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > orphanFor && strings.HasPrefix(entry.Name(), prefix) {
			_ = os.Remove(filepath.Join(s.dir, entry.Name()))
		}
	}
	return err
}

// Renew implements store.Store.
func (s *Store) Renew(ctx context.Context, id string, batch []store.Renewal) (all []store.Renewed, err error) {
	all = make([]store.Renewed, len(batch))
	for i := range batch {
		err = s.change(ctx, batch[i].Name, func(now int64, c *store.Contents) error {
			all[i] = c.Renew(now, id, &batch[i])
			return all[i].Err
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Agree implements store.Store.
func (s *Store) Agree(ctx context.Context, batch []store.Outcome) []error {
	errs := make([]error, len(batch))
	for i := range batch {
		errs[i] = s.change(ctx, batch[i].Name, func(now int64, c *store.Contents) error { return c.Agree(now, &batch[i]) })
	}
	return errs
}

// Explain implements store.Store.
func (s *Store) Explain(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("the disk, or a process that has the lock of %s, stands still: %w", s.dir, err)
	}
	return err
}

// change changes the contents of a partition while no other process does. Nothing is written if do fails, or if ctx has ended.
// It waits for the lock for as long as that takes, as package fleet does not wait for it: of 200 members that ask each
// millisecond, some would never get it.
func (s *Store) change(ctx context.Context, name string, do func(now int64, c *store.Contents) error) error {
	err := s.changeOnce(ctx, name, do)
	if errors.Is(err, fs.ErrNotExist) { // the folder was removed meanwhile
		err = s.changeOnce(ctx, name, do)
	}
	return err
}

func (s *Store) changeOnce(ctx context.Context, name string, do func(now int64, c *store.Contents) error) (err error) {
	if err := s.open(); err != nil {
		return err
	}
	if err := s.lock.Lock(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.lock.Unlock()) }()
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.key != nil { // else a process that begins would have another key than those that run, once the folder is removed
		if _, err := s.keepKey(s.key); err != nil {
			return err
		}
	}
	path := filepath.Join(s.dir, prefix+name)
	c, err := s.read(path)
	if err != nil {
		return err
	}
	if err := do(s.Now(), c); err != nil {
		return err
	}
	return s.write(path, c)
}

// read reads a file. What cannot be read is as if it were not there: the next write replaces it. But what another machine has
// just written, or another version, stays: else both would replace each other's file for ever, and know nothing of each other.
func (s *Store) read(path string) (*store.Contents, error) {
	c := store.NewContents(0)
	info, err := os.Lstat(path)
	if isFile := err == nil && info.Mode().IsRegular() && info.Size() <= mostFile; !isFile {
		return c, nil
	}
	data, _ := os.ReadFile(path)
	header, rest, _ := strings.Cut(string(data), "\n")
	switch {
	case header != s.header() && strings.HasPrefix(header, magic) && time.Since(info.ModTime()).Abs() < foreignFor:
		return nil, fmt.Errorf("%s is in use by another machine, or by another version of headway", s.dir)
	case header != s.header() || !strings.HasSuffix(rest, "\n"):
		return c, nil
	}
	for line := range strings.Lines(rest) {
		field, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		c.Set(field, value)
	}
	return c, nil
}

// header is a file's first line. The times in the file are those of the machine since its start.
func (s *Store) header() string { return magic + strconv.Itoa(store.Version) + " " + s.started }

// write replaces a file. It does not wait until the disk has it: after a failure of power the machine starts anew, and the
// file begins anew, too. That is why this is not google/renameio, which waits for some milliseconds.
func (s *Store) write(path string, c *store.Contents) error {
	var b strings.Builder
	b.WriteString(s.header() + "\n")
	c.Fields(func(field, value string) { b.WriteString(field + " " + value + "\n") })
	return replace(path, []byte(b.String()))
}

// replace replaces a file whole, while the lock is held. A process that is killed leaves at most one other file behind.
func replace(path string, data []byte) error {
	temporary := path + ".new"
	if err := os.WriteFile(temporary, data, 0o600); err != nil {
		_ = os.Remove(temporary) // of a full disk
		return err
	}
	return os.Rename(temporary, path)
}

func wallClock() int64 { return time.Now().UnixMilli() }

// Key returns the key in the folder, which the first member makes.
func (s *Store) Key() (key []byte, err error) {
	if s.key, err = os.ReadFile(s.keyFile()); err == nil && len(s.key) >= store.LeastKey {
		return s.key, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second) // a process that stands still may have it
	defer cancel()
	if _, err := s.lock.TryLockContext(ctx, lockPoll); err != nil {
		return nil, fmt.Errorf("the lock of %s: %w", s.dir, err)
	}
	defer func() { err = errors.Join(err, s.lock.Unlock()) }()
	s.key, err = s.keepKey([]byte(rand.Text()))
	return s.key, err
}

// keepKey returns the key in the folder. If there is none, or a failure of power has cut it, that is key.
func (s *Store) keepKey(key []byte) ([]byte, error) {
	there, err := os.ReadFile(s.keyFile())
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(there) < store.LeastKey {
		return key, replace(s.keyFile(), key)
	}
	return there, err
}

func (s *Store) keyFile() string { return filepath.Join(s.dir, "key") }

// ErrFolder reports that a folder cannot be shared safely: it is a symbolic link or no folder, belongs to another user, other
// users may write to it, or it is on a network file system.
var ErrFolder = errors.New("not a folder for this user alone")
