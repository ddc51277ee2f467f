package fleet

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
)

const (
	lockName  = "lock"
	mostFile  = 64 << 20         // bytes of a partition that are read. 4096 members need some 4 MiB
	lockPoll  = time.Millisecond // between attempts to get the lock. A member holds it for some 0.2 ms
	orphanFor = 2 * maxExpiry    // files of that age belong to nobody
)

// files is a store in a folder: a file for each partition, which is replaced under a lock. The lock ends with the process
// that has it, and a file is replaced whole. So it does not matter when a process is killed.
type files struct {
	dir     string
	lock    *flock.Flock
	now     func() int64 // milliseconds, by the same clock in all processes of this machine
	started string       // names the start of that clock
}

// newFiles returns a store in the folder dir, which it makes if there is none. It removes what was left behind for hours.
func newFiles(dir string) (*files, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	s := &files{dir: dir, lock: flock.New(filepath.Join(dir, lockName))}
	s.now, s.started = machineClock()
	if err := s.open(); err != nil {
		return nil, err
	}
	return s, s.sweep()
}

// open makes the folder if it is not there, and checks that no other user can change what is in it.
func (s *files) open() error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	info, err := os.Lstat(s.dir)
	if err != nil {
		return err
	}
	if err := checkFolder(s.dir, info); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrFolder, s.dir, err)
	}
	return nil
}

// sweep removes files that belong to nobody any more.
func (s *files) sweep() error {
	all, err := os.ReadDir(s.dir)
	for _, entry := range all {
		info, err := entry.Info()
		if err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > orphanFor && strings.HasPrefix(entry.Name(), prefix) {
			_ = os.Remove(filepath.Join(s.dir, entry.Name()))
		}
	}
	return err
}

func (s *files) renew(ctx context.Context, id string, batch []renewal) (all []renewed, err error) {
	all = make([]renewed, len(batch))
	for i := range batch {
		err = s.change(ctx, batch[i].name, func(now int64, c *contents) error {
			all[i] = c.renew(now, id, &batch[i])
			return all[i].err
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (s *files) agree(ctx context.Context, batch []outcome) []error {
	errs := make([]error, len(batch))
	for i := range batch {
		errs[i] = s.change(ctx, batch[i].name, func(now int64, c *contents) error { return c.agree(now, &batch[i]) })
	}
	return errs
}

// change changes the contents of a partition while no other process does. Nothing is written if do fails.
func (s *files) change(ctx context.Context, name string, do func(now int64, c *contents) error) (err error) {
	if err := s.open(); err != nil {
		return err
	}
	if _, err := s.lock.TryLockContext(ctx, lockPoll); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.lock.Unlock()) }()
	path := filepath.Join(s.dir, prefix+name)
	c := s.read(path)
	if err := do(s.now(), c); err != nil {
		return err
	}
	return s.write(path, c)
}

// prefix begins the names of files, with the version of their format.
var prefix = "partition-" + strconv.Itoa(version) + "-"

// read reads a file. What cannot be read is as if it were not there: the next write replaces it.
func (s *files) read(path string) *contents {
	c := newContents(0)
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > mostFile {
		return c
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return c
	}
	header, rest, _ := strings.Cut(string(data), "\n")
	if header != s.header() || !strings.HasSuffix(rest, "\n") {
		return c
	}
	for line := range strings.Lines(rest) {
		field, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		c.set(field, value)
	}
	return c
}

// header is a file's first line. The times in the file are those of the machine since its start.
func (s *files) header() string { return "headway " + strconv.Itoa(version) + " " + s.started }

// write replaces a file. It does not wait until the disk has it: after a failure of power the machine starts anew, and the
// file begins anew, too. That is why this is not google/renameio, which waits for some milliseconds.
func (s *files) write(path string, c *contents) error {
	var b strings.Builder
	b.WriteString(s.header() + "\n")
	c.fields(func(field, value string) { b.WriteString(field + " " + value + "\n") })
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

// Local returns a Fleet of the processes of one user on one machine, or in containers of one machine with a common volume. They
// share a folder, which Local makes if it is not there. All members give the same folder: see [UserDir]. A folder has some
// kilobytes for each member, and may be removed at any time. The Fleet starts at once, as one of New does.
//
// The clock of a local Fleet is the time since the machine has started. So it does not matter if the date is set, and
// machines cannot share a folder through a network file system.
//
// Without Options.Key the folder has one, which only this user can read. Local returns ErrFolder if another user could change
// what is in the folder, ErrKey if the key is too short, and otherwise the error of the file system.
func Local(dir string, o Options) (*Fleet, error) {
	s, err := newFiles(dir)
	if err == nil && o.Key == nil {
		o.Key, err = s.key()
	}
	if err != nil {
		return nil, err
	}
	return newFleet(s, o.Key)
}

// key returns the key in the folder, which the first member makes.
func (s *files) key() (key []byte, err error) {
	path := filepath.Join(s.dir, "key")
	key, err = os.ReadFile(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	if err := s.lock.Lock(); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.lock.Unlock()) }()
	if key, err = os.ReadFile(path); errors.Is(err, fs.ErrNotExist) {
		key = []byte(rand.Text())
		err = replace(path, key)
	}
	return key, err
}

// ErrFolder reports that a folder cannot be shared safely: it is a symbolic link or no folder, belongs to another user, other
// users may write to it, or it is on a network file system.
var ErrFolder = errors.New("fleet: not a folder for this user alone")

// UserDir returns the folder that all processes of this user on this machine have for a name, such as that of an API or of a
// program: a folder in the user's runtime directory ($XDG_RUNTIME_DIR), or else in os.UserCacheDir. It makes nothing. The
// error is that of os.UserCacheDir, or says that the name is not one of a file.
func UserDir(name string) (string, error) {
	if !filepath.IsLocal(name) || filepath.Base(name) != name || name == "." {
		return "", &fs.PathError{Op: "fleet", Path: name, Err: fs.ErrInvalid}
	}
	if dir := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "headway", name), nil
	}
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "headway", name), err
}
