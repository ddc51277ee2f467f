package snapshot

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/internal/schedule"
	"github.com/headway-go/headway/pacer"
)

const (
	// maxAge is how old what a snapshot knows may be to be of any use.
	maxAge = 24 * time.Hour
	// maxAhead is how far the clock may have been set back since.
	maxAhead = 5 * time.Minute
)

// A Shelf has what snapshots need and partitions do not: their names, and what was restored and no request has asked
// for yet. A nil Shelf has nothing. It is safe for concurrent use.
type Shelf struct {
	settings *schedule.Settings
	keys     keys

	mu       sync.Mutex
	names    map[*schedule.Partition]identity.Name // of those in the registry
	restored map[identity.Name]restored            // that no request has asked for
}

// restored is a partition that comes from a snapshot.
type restored struct {
	pacer pacer.Partition
	used  pacer.Instant
}

// NewShelf returns the Shelf of a Transport; nil if the secret is too short to make snapshots with.
func NewShelf(secret []byte, s *schedule.Settings) *Shelf {
	if len(secret) < leastSecret {
		return nil
	}
	return &Shelf{
		settings: s,
		keys:     newKeys(secret),
		names:    make(map[*schedule.Partition]identity.Name),
		restored: make(map[identity.Name]restored),
	}
}

// Adopt gives a new partition its name, and what was restored under that.
func (s *Shelf) Adopt(p *schedule.Partition, req *http.Request) {
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

// Forget drops the name of a partition that is forgotten.
func (s *Shelf) Forget(p *schedule.Partition) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.names, p)
}

// Seal returns a snapshot of all partitions, those used last first. Errors: ErrKey.
func (s *Shelf) Seal() ([]byte, error) {
	if s == nil {
		return nil, ErrKey
	}
	now, taken := s.settings.Clock.Read()
	return s.keys.seal(taken, s.saved(now))
}

// saved returns what there is to save, used last first.
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

// Open takes over a snapshot: all of it, or nothing. No time in it is believed that is further away than maxReset. What
// partitions know that requests have used is newer, and stays. Errors: all of this package.
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
	known, err := s.read(all, now, max(passed, 0), maxReset)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.Copy(s.restored, known)
	for _, name := range s.names {
		delete(s.restored, name)
	}
	return nil
}

// read returns the partitions that were saved so long before now, and are not too old.
func (s *Shelf) read(all []saved, now pacer.Instant, passed, maxReset time.Duration) (map[identity.Name]restored, error) {
	known := make(map[identity.Name]restored, len(all))
	for i := range all {
		idle := max(all[i].Idle, 0)
		if idle > maxAge-passed {
			continue
		}
		partition, err := pacer.Restore(&s.settings.Pacer, all[i].Pacer, now, passed, maxReset)
		if err != nil {
			return nil, ErrDamaged
		}
		known[all[i].Name] = restored{pacer: partition, used: now.Add(-passed - idle)}
	}
	return known, nil
}
