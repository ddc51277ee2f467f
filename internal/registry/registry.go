// Package registry finds, makes and forgets the partitions of one Transport. It knows nothing of what a partition is
// for: who wants to know of new ones and forgotten ones is told.
package registry

import (
	"maps"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/internal/schedule"
	"github.com/headway-go/headway/pacer"
)

const (
	// MaxPartitions bounds the partitions of one Transport, whose number the program's input may decide: a crawler's
	// hosts, or a gateway's users.
	MaxPartitions = 131072

	// MaxMemory bounds the bytes that they keep, as estimated: servers choose how many limits they tell of, and how long
	// the names of these are.
	MaxMemory = 256 << 20
)

// A Registry holds the partitions of one Transport. It is made by New, and safe for concurrent use.
type Registry struct {
	Options

	last atomic.Pointer[schedule.Partition] // that a request was for: the next one is mostly for the same

	mu      sync.RWMutex // taken before a partition's, never after
	table   table
	isArmed bool // a sweep is due
}

// Options are what a Registry is made with. None of the functions may call the Registry.
type Options struct {
	Clock *clock.Clock

	// Make makes a partition with that key.
	Make func(identity.Key) *schedule.Partition

	// Made is told of a new partition before it is used, and of the request that it was made for.
	Made func(*schedule.Partition, *http.Request)

	// Gone is told of each partition that was forgotten, without any lock held.
	Gone func(Eviction)

	Most       int           // partitions at most; MaxPartitions but in tests
	MostMemory int64         // bytes that they keep at most; MaxMemory but in tests
	Memory     *atomic.Int64 // the bytes that all partitions keep, which they count
}

// An Eviction is that of a partition.
type Eviction struct {
	Partition *schedule.Partition
	Now       pacer.Instant
	Used      pacer.Instant // when it was last used
	Full      bool          // others needed the room
}

// New returns a Registry without partitions.
func New(o Options) *Registry {
	return &Registry{Options: o, table: table{byKey: make(map[uint64]*schedule.Partition)}}
}

// Find returns the partition of that key, which is the request's, made if need be. If there is no room for another one,
// the partition is one that nobody else gets: what it learns goes with the request.
func (r *Registry) Find(k *identity.Key, req *http.Request) *schedule.Partition {
	if p := r.last.Load(); p != nil && *p.Key() == *k && !p.IsForgotten() {
		return p
	}
	hash := k.Hash()
	p := r.get(hash)
	if p == nil || r.Memory.Load() > r.MostMemory {
		var gone []Eviction
		p, gone = r.add(hash, k, req)
		r.tell(gone)
	}
	return p
}

// get returns a partition that there is already.
func (r *Registry) get(hash uint64) *schedule.Partition {
	r.mu.RLock()
	defer r.mu.RUnlock()
	p := r.table.byKey[hash]
	if p != nil {
		r.last.Store(p)
	}
	return p
}

// add makes a partition if there is none, and makes room for it. gone are those that had to go.
func (r *Registry) add(hash uint64, k *identity.Key, req *http.Request) (p *schedule.Partition, gone []Eviction) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now, t := r.Clock.Now(), &r.table
	gone = t.shrink(now, r.Memory, r.MostMemory)
	if p := t.byKey[hash]; p != nil {
		return p, gone
	}
	p = r.Make(k.Clone())
	if len(t.byKey) >= r.Most {
		e, isGone := t.makeRoom(now)
		if !isGone {
			return p, gone
		}
		gone = append(gone, e)
	}
	r.Made(p, req)
	t.put(hash, p, now)
	r.last.Store(p)
	if !r.isArmed {
		r.isArmed = true
		r.sweepAfter(idleFor)
	}
	return p, gone
}

// All returns the partitions, in no order.
func (r *Registry) All() []*schedule.Partition {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.Collect(maps.Values(r.table.byKey))
}

// tell tells of the partitions that were forgotten.
func (r *Registry) tell(gone []Eviction) {
	for _, e := range gone {
		r.last.CompareAndSwap(e.Partition, nil)
		r.Gone(e)
	}
}
