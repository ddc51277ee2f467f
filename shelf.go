package headway

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/pacer"
)

// A shelf has what snapshots need and partitions do not. The registry's lock guards
// it.
type shelf struct {
	keys     snapshotKeys
	names    map[*partition]identity.Name // of those in the registry
	restored map[identity.Name]restored   // that no request has asked for
}

// restored is a partition that comes from a snapshot.
type restored struct {
	pacer pacer.Partition
	used  pacer.Instant
}

func newShelf(secret []byte) *shelf {
	if len(secret) < leastSnapshotKey {
		return nil
	}
	return &shelf{
		keys:     newSnapshotKeys(secret),
		names:    make(map[*partition]identity.Name),
		restored: make(map[identity.Name]restored),
	}
}

// adopt gives a new partition its name, and what was restored under that. A nil
// shelf has neither.
func (s *shelf) adopt(p *partition, req *http.Request) {
	if s == nil {
		return
	}
	name := s.keys.names.Partition(&p.key, req)
	s.names[p] = name
	if known, ok := s.restored[name]; ok {
		p.pacer = known.pacer
		delete(s.restored, name)
	}
}

// forget drops the name of a partition that is evicted.
func (s *shelf) forget(p *partition) {
	if s != nil {
		delete(s.names, p)
	}
}

// restore puts partitions on the shelf that were saved so long before now: all of them, or none if
// one is damaged.
func (r *registry) restore(all []savedPartition, now pacer.Instant, passed, maxReset time.Duration) error {
	known := make(map[identity.Name]restored, len(all))
	for i := range all {
		saved := &all[i]
		idle := max(saved.Idle, 0)
		if idle > maxSnapshotAge-passed {
			continue
		}
		partition, err := pacer.Restore(&r.config, saved.Pacer, now, passed, maxReset)
		if err != nil {
			return ErrSnapshotDamaged
		}
		known[saved.Name] = restored{pacer: partition, used: now.Add(-passed - idle)}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.Copy(r.shelf.restored, known)
	for _, name := range r.shelf.names {
		delete(r.shelf.restored, name)
	}
	return nil
}

// saved returns what there is to save, used last first.
func (r *registry) saved(now pacer.Instant) []savedPartition {
	var all []savedPartition
	r.mu.RLock()
	for name, p := range r.shelf.restored {
		all = append(all, savedPartition{Name: name, Idle: now.Sub(p.used), Pacer: p.pacer.Snapshot(now)})
	}
	names := maps.Clone(r.shelf.names)
	r.mu.RUnlock()
	for p, name := range names {
		all = append(all, p.saved(name, now))
	}
	slices.SortFunc(all, func(a, b savedPartition) int {
		return cmp.Or(cmp.Compare(a.Idle, b.Idle), cmp.Compare(a.Name, b.Name))
	})
	return all
}

// saved returns the partition as it is to be saved. It locks p.mu.
func (p *partition) saved(name identity.Name, now pacer.Instant) savedPartition {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := savedPartition{Name: name, Pacer: p.pacer.Snapshot(now)}
	if !p.protected(now) {
		s.Idle = max(now.Sub(p.used), 0)
	}
	return s
}
