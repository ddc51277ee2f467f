// Package snapshot saves partitions for the next process, and restores them by their names.
//
// A snapshot is three lines of text: the magic word with the version of the format, all partitions in JSON, and a keyed
// hash of both lines.
//
//	headway snapshot 6
//	[{"Name":"…","Taken":"2026-03-04T12:00:00Z","Pacer":{…}},…]
//	b6c1…
package snapshot

import (
	"bytes"
	"crypto/hmac"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/headway-go/headway/internal/gate"
	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/pacer"
)

const (
	magic     = "headway snapshot "
	header    = magic + "6\n"  // changes whenever another version could misread what follows
	most      = 10_000         // partitions in a snapshot, as in a Transport
	maxAge    = 24 * time.Hour // of useful knowledge; also by how much the clock may have been set back since
	leastKey  = 16             // bytes
	mostShown = 100            // restored partitions: each look reads them anew, and 10,000 would take a third of a second
)

// The errors, which package headway exports.
var (
	ErrKey      = errors.New("headway: a snapshot needs a SnapshotKey of at least 16 bytes")
	ErrUnusable = errors.New("headway: the snapshot cannot be used")
)

// A saved is one partition. It never changes.
type saved struct {
	Name  identity.Name
	Taken time.Time       // when Pacer was written
	Pacer json.RawMessage // the pacer's own format
}

func (k *saved) isRecent(now time.Time) bool { return now.Sub(k.Taken).Abs() <= maxAge }

// A Shelf holds the restored partitions that no request has used yet. It is safe for concurrent use.
type Shelf struct {
	Key      identity.NameKey // too few bytes: the Shelf stays empty
	Settings *gate.Settings
	MaxReset time.Duration // times further away are ignored

	restored sync.Map // identity.Name to *saved
}

// Adopt gives a new partition its name, and the restored state of that name.
func (s *Shelf) Adopt(p *gate.Partition, req *http.Request) {
	if len(s.Key) < leastKey {
		return
	}
	p.SavedName = s.Key.Partition(p.Key(), req)
	if known, ok := s.restored.LoadAndDelete(p.SavedName); ok {
		if earlier, err := s.read(known.(*saved)); err == nil { // else the seal is whole, and this one has an odd state
			p.Adopt(earlier)
		}
	}
}

// read returns the saved state as of now.
func (s *Shelf) read(k *saved) (pacer.Partition, error) {
	now, at := s.Settings.Clock.Read()
	return pacer.Restore(&s.Settings.Pacer, k.Pacer, now, at.Sub(k.Taken), s.MaxReset)
}

// Restored returns the states of some restored partitions, each with a name for people.
func (s *Shelf) Restored() map[string]gate.State {
	states := make(map[string]gate.State)
	now, at := s.Settings.Clock.Read()
	all := s.recent(at)
	for _, k := range all[:min(len(all), mostShown)] {
		if p, err := s.read(k); err == nil {
			states[fmt.Sprintf("restored:%.12s", k.Name)] = gate.State{State: p.State(now), Now: now}
		}
	}
	return states
}

func (s *Shelf) recent(now time.Time) (all []*saved) {
	for _, known := range s.restored.Range {
		if k := known.(*saved); k.isRecent(now) {
			all = append(all, k)
		}
	}
	return all
}

// Seal returns a snapshot of what is restored and of the partitions that requests have used, which inUse returns with the
// last used first. Errors: ErrKey.
func (s *Shelf) Seal(inUse func() []*gate.Partition) ([]byte, error) {
	if len(s.Key) < leastKey {
		return nil, ErrKey
	}
	now, at := s.Settings.Clock.Read()
	all := s.recent(at)
	for _, p := range inUse() {
		all = append(all, &saved{p.SavedName, at.UTC(), p.Saved(now)})
	}
	slices.SortStableFunc(all, func(a, b *saved) int { return b.Taken.Compare(a.Taken) })
	line, err := json.Marshal(all[:min(len(all), most)])
	return s.enclose(line), err
}

// enclose returns the snapshot with that second line.
func (s *Shelf) enclose(line []byte) []byte {
	lines := fmt.Sprintf("%s%s\n", header, line)
	return fmt.Appendln([]byte(lines), string(s.Key.Of("snapshot", lines)))
}

// Open restores a snapshot completely, or returns an error. Partitions that inUse returns keep their knowledge, which is
// newer. Errors: ErrKey, ErrUnusable.
func (s *Shelf) Open(data []byte, inUse func() []*gate.Partition) error {
	var all []saved
	_, now := s.Settings.Clock.Read()
	line, isOurs := bytes.CutPrefix(data, []byte(header))
	line, _, _ = bytes.Cut(line, []byte("\n"))
	switch {
	case len(s.Key) < leastKey:
		return ErrKey
	case !bytes.HasPrefix(data, []byte(magic)):
		return fmt.Errorf("%w: it is none", ErrUnusable)
	case !isOurs:
		return fmt.Errorf("%w: another version of headway made it", ErrUnusable)
	case !hmac.Equal(data, s.enclose(line)), json.Unmarshal(line, &all) != nil:
		return fmt.Errorf("%w: it is damaged, or was made with another SnapshotKey", ErrUnusable)
	case len(all) > 0 && !all[0].isRecent(now):
		return fmt.Errorf("%w: it is of %v, which is more than a day from now", ErrUnusable, all[0].Taken)
	}
	for i := range slices.Backward(all) { // of two with one name the newer one counts
		s.restored.Store(all[i].Name, &all[i])
	}
	for _, p := range inUse() {
		s.restored.Delete(p.SavedName)
	}
	return nil
}
