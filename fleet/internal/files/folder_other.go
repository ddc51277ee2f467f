//go:build !unix

package files

import (
	"errors"
	"io/fs"
)

// checkFolder returns an error unless this is a folder. On Windows, folders in a user's profile belong to that user alone.
func checkFolder(info fs.FileInfo) error {
	if !info.IsDir() {
		return errors.New("not a folder")
	}
	return nil
}
