package proxy

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"

	"github.com/natefinch/atomic"
)

// keyFile is the file with the secret that seals a snapshot.
func keyFile(snapshot string) string { return snapshot + ".key" }

// restore reads what an earlier run has learned about limits, if there is a file: a JSON object with a sealed snapshot for each
// upstream, by name, see headway.Transport.Snapshot. What cannot be used of it is in the log, and all the rest is restored.
func (p *proxy) restore() {
	text, err := os.ReadFile(p.config.Snapshot)
	if p.config.Snapshot == "" || errors.Is(err, fs.ErrNotExist) {
		return
	}
	var snapshots map[string][]byte
	if err == nil && json.Unmarshal(text, &snapshots) != nil {
		err = errors.New(p.config.Snapshot + " is no snapshot")
	}
	for _, u := range p.upstreams {
		if data, isThere := snapshots[u.Name]; isThere {
			if wrong := u.transport.Restore(data); wrong != nil {
				err = errors.Join(err, fmt.Errorf("upstream %s: %w", u.Name, wrong))
			}
		}
	}
	if err != nil {
		p.log.Warn("snapshot is not used", slog.String("reason", err.Error()))
	}
}

// save writes that file. At any moment it is whole, the old one or the new one.
func (p *proxy) save() {
	if p.config.Snapshot == "" {
		return
	}
	var err error
	snapshots := map[string][]byte{}
	for _, u := range p.upstreams {
		data, failed := u.transport.Snapshot()
		snapshots[u.Name], err = data, cmp.Or(err, failed)
	}
	text, _ := json.Marshal(snapshots) // of plain types, so it cannot fail
	if err == nil {
		err = atomic.WriteFile(p.config.Snapshot, bytes.NewReader(text)) // for this user alone, if it is new
	}
	if err != nil {
		p.log.Warn("snapshot is not written", slog.String("reason", err.Error()))
	}
}
