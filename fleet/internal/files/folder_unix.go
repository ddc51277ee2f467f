//go:build unix

package files

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// checkFolder returns an error unless the folder belongs to this user, and to nobody else.
func checkFolder(info fs.FileInfo) error {
	owner, _ := info.Sys().(*syscall.Stat_t)
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return errors.New("a symbolic link")
	case !info.IsDir():
		return errors.New("not a folder")
	case owner == nil || int(owner.Uid) != os.Geteuid():
		return errors.New("of another user")
	case info.Mode().Perm()&0o077 != 0:
		return errors.New("open to other users: its mode must be 0700")
	}
	return nil
}
