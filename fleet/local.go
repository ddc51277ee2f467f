package fleet

import (
	"io/fs"
	"os"
	"path/filepath"

	"github.com/headway-go/headway/fleet/internal/files"
)

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
	s, err := files.New(dir)
	if err == nil && o.Key == nil {
		o.Key, err = s.Key()
	}
	if err != nil {
		return nil, err
	}
	return New(s, o)
}

// ErrFolder reports that a folder cannot be shared safely: it is a symbolic link or no folder, belongs to another user, other
// users may write to it, or it is on a network file system.
var ErrFolder = files.ErrFolder

// UserDir returns the folder that all processes of this user on this machine have for a name, such as that of an API or of a
// program: a folder in the user's runtime directory ($XDG_RUNTIME_DIR), or else in os.UserCacheDir. Cron jobs and system services
// have no $XDG_RUNTIME_DIR, so they do not share with programs of a login. UserDir makes nothing. The error is that of
// os.UserCacheDir, or says that the name is not one of a file.
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
