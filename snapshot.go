package headway

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/headway-go/headway/pacer"
)

const (
	// maxSnapshotAge is how old what a snapshot knows may be to be of any use.
	maxSnapshotAge = 24 * time.Hour
	// maxSnapshotAhead is how far the clock may have been set back since.
	maxSnapshotAhead = 5 * time.Minute
)

// Snapshot returns what the Transport has learned, for [Transport.Restore] in a
// program that runs later: limits and what is left of them, holds, paces. So a
// program that lives for seconds begins where its last run stopped, instead of
// finding the limits anew each time. It is sealed with SnapshotKey and fit to be
// stored in a file; a file that was written only in part will be refused.
//
// It holds no credentials and nothing of any URL. Partitions have names in it that
// only the same SnapshotKey can make. The names that servers gave to policies,
// partition keys and quota units are in it as they came.
//
// What was restored and not used yet is in it as well, so that runs which use
// different servers do not forget each other's, but no longer than for a day. If it
// would exceed 16 MiB, the partitions used longest ago are left out.
//
// Requests in flight count as sent. Snapshot is safe for concurrent use and delays
// no request; each partition is saved as of a slightly different moment.
//
// Errors: ErrSnapshotKey.
func (t *Transport) Snapshot() ([]byte, error) {
	t.once.Do(t.start)
	shelf := t.partitions.shelf
	if shelf == nil {
		return nil, ErrSnapshotKey
	}
	now, taken := t.clock().read()
	return shelf.keys.seal(taken, t.partitions.saved(now))
}

// Restore takes over what a Snapshot says, of this program or of another one with
// the same SnapshotKey. It is best called before the first request. Partitions that
// requests have used already keep what they know, which is newer; for others, what
// is restored is kept ready until their first request. Of two snapshots that are
// restored, the second counts.
//
// Between the two, time has passed by the machine's clock: windows have ended, and
// holds too if they were short enough. Nothing is believed beyond Bounds.MaxReset.
//
// If an error is returned nothing has changed, and the Transport works as without
// it, so that there is no need to stop. Errors, to be found with [errors.Is]:
// ErrSnapshotKey; ErrSnapshotForeign, ErrSnapshotVersion and ErrSnapshotDamaged for
// data that cannot be read; ErrSnapshotExpired for a snapshot that is more than a day
// old, ErrSnapshotFuture for one that was taken more than five minutes from now. Any
// data can be passed. Restore is safe for concurrent use.
func (t *Transport) Restore(data []byte) error {
	t.once.Do(t.start)
	shelf := t.partitions.shelf
	if shelf == nil {
		return ErrSnapshotKey
	}
	taken, all, err := shelf.keys.open(data)
	if err != nil {
		return err
	}
	now, at := t.clock().read()
	switch passed := at.Sub(taken); {
	case passed > maxSnapshotAge:
		return fmt.Errorf("%w: %v", ErrSnapshotExpired, passed.Round(time.Second))
	case passed < -maxSnapshotAhead:
		return fmt.Errorf("%w: %v ahead", ErrSnapshotFuture, -passed.Round(time.Second))
	default:
		t.partitions.restore(all, now, max(passed, 0), t.Bounds.OrDefaults().MaxReset)
	}
	return nil
}

// A shelf has what snapshots need and partitions do not. The registry's lock guards
// it.
type shelf struct {
	keys     snapshotKeys
	names    map[*partition]stableName // of those in the registry
	restored map[stableName]restored   // that no request has asked for
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
		names:    make(map[*partition]stableName),
		restored: make(map[stableName]restored),
	}
}

// adopt gives a new partition its name, and what was restored under that. A nil
// shelf has neither.
func (s *shelf) adopt(p *partition, req *http.Request) {
	if s == nil {
		return
	}
	name := s.keys.stableName(&p.key, req)
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

// restore puts partitions on the shelf that were saved so long before now.
func (r *registry) restore(all []savedPartition, now pacer.Instant, passed, maxReset time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range all {
		saved := &all[i]
		if idle := max(saved.Idle, 0); idle <= maxSnapshotAge-passed {
			r.shelf.restored[saved.Name] = restored{
				pacer: pacer.Restore(&r.config, &saved.Pacer, now, passed, maxReset),
				used:  now.Add(-passed - idle),
			}
		}
	}
	for _, name := range r.shelf.names {
		delete(r.shelf.restored, name)
	}
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
func (p *partition) saved(name stableName, now pacer.Instant) savedPartition {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := savedPartition{Name: name, Pacer: p.pacer.Snapshot(now)}
	if !p.protected(now) {
		s.Idle = max(now.Sub(p.used), 0)
	}
	return s
}
