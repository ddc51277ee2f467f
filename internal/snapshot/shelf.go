package snapshot

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/headway-go/headway/internal/gate"
	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/pacer"
)

const (
	// maxAge is the age at which the knowledge in a snapshot becomes useless.
	maxAge = 24 * time.Hour
	// maxAhead is by how much the clock may have been set back since the snapshot.
	maxAhead = 5 * time.Minute
)

// A Shelf holds the partitions' names, and the restored partitions that no request has used yet. A nil Shelf is empty. It
// is safe for concurrent use.
type Shelf struct {
	settings *gate.Settings
	keys     keys

	mu       sync.Mutex
	names    map[*gate.Partition]identity.Name // of the partitions in the registry
	restored map[identity.Name]restored        // that no request has used yet
}

// restored is a partition from a snapshot.
type restored struct {
	pacer pacer.Partition
	used  pacer.Instant
}

// NewShelf returns the Shelf of a Transport; nil if the secret is too short.
func NewShelf(secret []byte, s *gate.Settings) *Shelf {
	if len(secret) < leastSecret {
		return nil
	}
	return &Shelf{
		settings: s,
		keys:     newKeys(secret),
		names:    make(map[*gate.Partition]identity.Name),
		restored: make(map[identity.Name]restored),
	}
}

// Adopt gives a new partition its name, and the restored state of that name.
func (s *Shelf) Adopt(p *gate.Partition, req *http.Request) {
	if s == nil {
		return
	}
	name := s.keys.names.Partition(p.Key(), req)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names[p] = name
	if known, ok := s.restored[name]; ok {
		p.Adopt(known.pacer)
		delete(s.restored, name)
	}
}

// Forget drops the name of a forgotten partition.
func (s *Shelf) Forget(p *gate.Partition) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.names, p)
}

// Seal returns a snapshot of all partitions, the most recently used first. Errors: ErrKey.
func (s *Shelf) Seal() ([]byte, error) {
	if s == nil {
		return nil, ErrKey
	}
	now, taken := s.settings.Clock.Read()
	return s.keys.seal(taken, s.saved(now))
}

// saved returns the partitions to save, the most recently used first.
func (s *Shelf) saved(now pacer.Instant) (all []saved) {
	s.mu.Lock()
	names := maps.Clone(s.names)
	for name, p := range s.restored {
		all = append(all, saved{Name: name, Idle: now.Sub(p.used), Pacer: p.pacer.Snapshot(now)})
	}
	s.mu.Unlock()
	for p, name := range names {
		known, used := p.Saved(now)
		all = append(all, saved{Name: name, Idle: now.Sub(used), Pacer: known})
	}
	slices.SortFunc(all, func(a, b saved) int {
		return cmp.Or(cmp.Compare(a.Idle, b.Idle), cmp.Compare(a.Name, b.Name))
	})
	return all
}

// Open restores a snapshot completely, or returns an error. Times further away than maxReset are ignored. Partitions that
// requests have used keep their knowledge, which is newer. Errors: all of this package.
func (s *Shelf) Open(data []byte, maxReset time.Duration) error {
	if s == nil {
		return ErrKey
	}
	taken, all, err := s.keys.open(data)
	if err != nil {
		return err
	}
	now, at := s.settings.Clock.Read()
	passed := at.Sub(taken)
	switch {
	case passed > maxAge:
		return fmt.Errorf("%w: %v", ErrExpired, passed.Round(time.Second))
	case passed < -maxAhead:
		return fmt.Errorf("%w: %v ahead", ErrFuture, -passed.Round(time.Second))
	}
	known := s.read(all, now, max(passed, 0), maxReset)
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.Copy(s.restored, known)
	for _, name := range s.names {
		delete(s.restored, name)
	}
	return nil
}

// read returns the saved partitions that are not too old. passed is the time since the snapshot.
func (s *Shelf) read(all []saved, now pacer.Instant, passed, maxReset time.Duration) map[identity.Name]restored {
	known := make(map[identity.Name]restored, len(all))
	for i := range all {
		idle := max(all[i].Idle, 0)
		if idle > maxAge-passed {
			continue
		}
		partition, err := pacer.Restore(&s.settings.Pacer, all[i].Pacer, now, passed, maxReset)
		if err != nil { // the seal is whole, so this one partition has an odd state
			continue
		}
		known[all[i].Name] = restored{pacer: partition, used: now.Add(-passed - idle)}
	}
	return known
}
