// Package registry finds, makes and forgets the partitions of one Transport. It knows nothing of what partitions do. It
// calls hooks for new and for forgotten partitions.
package registry

import (
	"container/heap"
	"net/http"
	"sync"

	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/internal/schedule"
	"github.com/headway-go/headway/pacer"
)

// MaxPartitions bounds the partitions of one Transport, and so their memory: usually to some 10 MB. Hostile servers can
// make each partition take 45 kB. The number of partitions may depend on the program's input, such as the hosts of a
// crawler or the users of a gateway.
const MaxPartitions = 10_000

// A Registry holds the partitions of one Transport. New makes one. It is safe for concurrent use.
type Registry struct {
	Options

	mu      sync.Mutex // locked before a partition's lock, never after it
	index   index
	idle    useHeap // the same partitions, longest idle first
	isArmed bool    // the timer of the next sweep is running
}

// Options configure a Registry. None of the functions may call the Registry.
type Options struct {
	Clock *clock.Clock

	// Make makes a partition with that key. It must not keep the key, whose memory belongs to the request.
	Make func(identity.Key) *schedule.Partition

	// Made is called with a new partition before its first use, and with the request for which it was made.
	Made func(*schedule.Partition, *http.Request)

	// Gone is called for each forgotten partition. No lock is held.
	Gone func(Eviction)

	Most int // the most partitions; MaxPartitions, except in tests
}

// An Eviction says which partition was forgotten, and why.
type Eviction struct {
	Partition *schedule.Partition
	Now       pacer.Instant
	Used      pacer.Instant // when the partition was last used
	Full      bool          // other partitions needed the room
}

// New returns a Registry without partitions.
func New(o Options) *Registry {
	return &Registry{Options: o}
}

// Find returns the partition of the request's key, and makes it if there is none. If there is no room for another one, the
// request gets a partition of its own, which is dropped after it. Find normalises k if no partition has it as it is.
func (r *Registry) Find(k *identity.Key, req *http.Request) *schedule.Partition {
	p := r.index.find(k)
	if p == nil && k.Normalize() {
		p = r.index.find(k)
	}
	if p == nil || p.IsForgotten() {
		var gone []Eviction
		p, gone = r.add(k, req)
		r.tell(gone)
	}
	return p
}

// add makes the partition of that key if there is none, and makes room for it. gone are the partitions that it forgot.
func (r *Registry) add(k *identity.Key, req *http.Request) (p *schedule.Partition, gone []Eviction) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p = r.index.find(k); p != nil {
		return p, nil
	}
	now := r.Clock.Now()
	p = r.Make(*k)
	if r.index.n >= r.Most {
		e, isGone := r.makeRoom(now)
		if !isGone {
			return p, nil
		}
		gone = []Eviction{e}
	}
	r.Made(p, req)
	r.put(p, now)
	if !r.isArmed {
		r.isArmed = true
		r.sweepAfter(idleFor)
	}
	return p, gone
}

// put makes p a partition of the Registry.
func (r *Registry) put(p *schedule.Partition, now pacer.Instant) {
	r.index.put(p)
	heap.Push(&r.idle, use{p, now, schedule.Nothing})
}

// All returns the partitions in no particular order.
func (r *Registry) All() []*schedule.Partition {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.index.all()
}

// tell calls Gone for each forgotten partition.
func (r *Registry) tell(gone []Eviction) {
	for _, e := range gone {
		r.Gone(e)
	}
}
