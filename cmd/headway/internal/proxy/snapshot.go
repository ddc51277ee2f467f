package proxy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/natefinch/atomic"
)

// A snapshotFile is a file with what the proxy has learned about limits, for its next start: a JSON object with a sealed snapshot
// for each upstream, by name. See headway.Transport.Snapshot. The secret that seals them is in a file beside it.
type snapshotFile struct {
	file      string
	upstreams []*upstream
}

// keyFile is the file with the secret of a snapshot.
func keyFile(snapshot string) string { return snapshot + ".key" }

// restore reads the file. It is no error if there is none. What cannot be used of it is in the error, and all the rest is
// restored.
func (f *snapshotFile) restore() error {
	text, err := os.ReadFile(f.file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var snapshots map[string][]byte
	if err := json.Unmarshal(text, &snapshots); err != nil {
		return fmt.Errorf("%s is no snapshot: %w", f.file, err)
	}
	var all error
	for _, u := range f.upstreams {
		if data, isThere := snapshots[u.Name]; isThere {
			if err := u.transport.Restore(data); err != nil {
				all = errors.Join(all, fmt.Errorf("upstream %s: %w", u.Name, err))
			}
		}
	}
	return all
}

// save writes the file. At any moment the file is whole, the old one or the new one.
func (f *snapshotFile) save() error {
	snapshots := make(map[string][]byte, len(f.upstreams))
	for _, u := range f.upstreams {
		data, err := u.transport.Snapshot()
		if err != nil {
			return err
		}
		snapshots[u.Name] = data
	}
	text, err := json.Marshal(snapshots)
	if err != nil {
		return err
	}
	return atomic.WriteFile(f.file, bytes.NewReader(text)) // for this user alone, if it is new
}
