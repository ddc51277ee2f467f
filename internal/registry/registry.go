// Package registry finds, makes and forgets the partitions of one Transport. It knows nothing of what a partition is
// for: who wants to know of new ones and forgotten ones is told.
package registry

import (
	"net/http"
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

	mu      sync.Mutex // taken before a partition's, never after
	table   table
	isArmed bool // a sweep is due
}

// Options are what a Registry is made with. None of the functions may call the Registry.
type Options struct {
	Clock *clock.Clock

	// Make makes a partition with that key, which it must not keep: it is the request's.
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
	return &Registry{Options: o}
}

// Find returns the partition of that key, which is the request's, made if need be. If there is no room for another one,
// the partition is one that nobody else gets: what it learns goes with the request.
func (r *Registry) Find(k *identity.Key, req *http.Request) *schedule.Partition {
	p := r.table.byKey.find(k)
	if p == nil || p.IsForgotten() || r.Memory.Load() > r.MostMemory {
		var gone []Eviction
		p, gone = r.add(k, req)
		r.tell(gone)
	}
	return p
}

// add makes a partition if there is none, and makes room for it. gone are those that had to go.
func (r *Registry) add(k *identity.Key, req *http.Request) (p *schedule.Partition, gone []Eviction) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now, t := r.Clock.Now(), &r.table
	p = t.byKey.find(k)
	gone = t.shrink(now, p, r.Memory, r.MostMemory)
	if p != nil {
		return p, gone
	}
	p = r.Make(*k)
	if t.byKey.n >= r.Most {
		e, isGone := t.makeRoom(now, nil)
		if !isGone {
			return p, gone
		}
		gone = append(gone, e)
	}
	r.Made(p, req)
	t.put(p, now)
	if !r.isArmed {
		r.isArmed = true
		r.sweepAfter(idleFor)
	}
	return p, gone
}

// All returns the partitions, in no order.
func (r *Registry) All() []*schedule.Partition {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.table.byKey.all()
}

// tell tells of the partitions that were forgotten.
func (r *Registry) tell(gone []Eviction) {
	for _, e := range gone {
		r.Gone(e)
	}
}
