package headway

import (
	"container/heap"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
	"weak"

	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/pacer"
)

const (
	// maxPartitions bounds the partitions of one Transport, whose number the
	// program's input may decide (a crawler's hosts, a gateway's users).
	maxPartitions = 131072
	// idleFor is how long a partition that has nothing left to remember is kept.
	idleFor = 5 * time.Minute
	// sweepEvery is the shortest time between two sweeps, sweepBatch the most
	// partitions that one looks at before others get the lock.
	sweepEvery = time.Minute
	sweepBatch = 1024
	// fullFor is how long the search for a partition that may go is not
	// repeated after it found none.
	fullFor = time.Second
)

// A registry holds the partitions of one Transport.
type registry struct {
	givens

	config pacer.Config
	limit  int
	shelf  *shelf       // nil: no snapshots
	member *FleetMember // nil: no Fleet

	unshared pacer.Config // of partitions that come to be while the Fleet's store is lost

	onEviction func(eviction)  // nil: nobody wants to know
	onFleet    func(FleetInfo) // nil: no Fleet

	last atomic.Pointer[partition] // that a request was for: the next one mostly is as well

	mu        sync.RWMutex          // taken before a partition's, never after
	byKey     map[uint64]*partition // by the key's hash, a fifth of its size
	byUse     useHeap               // the same partitions, longest idle first
	overflow  *partition            // shared by those for which there is no room; nil until needed
	fullUntil pacer.Instant         // no search for room before
	sweeping  bool                  // a sweep is due
	gone      []eviction            // that onEviction is to be told of
}

// An eviction is that of a partition.
type eviction struct {
	key  identity.Key
	idle time.Duration
	full bool // others needed the room
}

func newRegistry(config pacer.Config, limit int) *registry {
	return &registry{givens: newGivens(), config: config, limit: limit, byKey: make(map[uint64]*partition)}
}

// lock returns the partition of that key, which is the request's, made if need be,
// with its lock held.
func (r *registry) lock(k *identity.Key, req *http.Request) *partition {
	p := r.last.Load()
	if p == nil || p.key != *k {
		p = r.find(k, req)
	}
	p.mu.Lock()
	for p.evicted { // between the look-up and the lock
		p.mu.Unlock()
		p = r.find(k, req)
		p.mu.Lock()
	}
	return p
}

func (r *registry) find(k *identity.Key, req *http.Request) *partition {
	hash := k.Hash()
	p := r.get(hash)
	if p == nil {
		p = r.add(hash, k, req)
		r.tellGone()
	}
	r.last.Store(p)
	return p
}

func (r *registry) get(hash uint64) *partition {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.byKey[hash]
}

func (r *registry) add(hash uint64, k *identity.Key, req *http.Request) *partition {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p := r.byKey[hash]; p != nil {
		return p
	}
	now := r.clock.Now()
	if len(r.byKey) >= r.limit && !r.makeRoom(now) {
		if r.overflow == nil {
			r.overflow = r.newPartition(&identity.Key{Host: "(overflow)"}, now)
		}
		return r.overflow
	}
	p := r.newPartition(k, now)
	r.shelf.adopt(p, req)
	r.member.adopt(p, req)
	r.byKey[hash] = p
	heap.Push(&r.byUse, use{p, now})
	r.armSweep(idleFor)
	return p
}

func (r *registry) newPartition(k *identity.Key, now pacer.Instant) *partition {
	config := &r.config
	if r.member.unreached() { // no part will be told soon
		config = &r.unshared
	}
	return &partition{pacer: pacer.New(config), givens: &r.givens, key: k.Clone(), used: now}
}

// makeRoom evicts the longest idle partition that may go.
func (r *registry) makeRoom(now pacer.Instant) bool {
	if now < r.fullUntil {
		return false
	}
	for range 2 * len(r.byUse) { // once to see that it was used since, once to evict it
		if r.reap(now, true) {
			return true
		}
	}
	r.fullUntil = now.Add(fullFor)
	return false
}

// reap looks at the partition that seems longest idle. It evicts it, or finds
// that it was used since or must stay, and puts it in its place among the others.
// Under pressure, what a partition knows about open windows does not protect it.
func (r *registry) reap(now pacer.Instant, pressure bool) bool {
	first := &r.byUse[0]
	p := first.partition
	if p.mu.TryLock() { // else it is in use this very moment
		defer p.mu.Unlock()
		switch {
		case p.used > first.last:
			now = p.used
		case !p.protected(now) && (pressure || p.pacer.Idle(now)):
			p.evicted = true
			delete(r.byKey, p.key.Hash())
			r.shelf.forget(p)
			r.last.CompareAndSwap(p, nil)
			heap.Pop(&r.byUse)
			if r.onEviction != nil {
				r.gone = append(r.gone, eviction{p.key, now.Sub(p.used), pressure})
			}
			return true
		}
	}
	first.last = max(now, first.last+1) // behind those of the same time
	heap.Fix(&r.byUse, 0)
	return false
}

// armSweep has the idle partitions evicted after d. The timer keeps no
// Transport alive that is otherwise forgotten.
func (r *registry) armSweep(d time.Duration) {
	if r.sweeping {
		return
	}
	r.sweeping = true
	self := weak.Make(r)
	clock.After(max(d, sweepEvery), func() {
		if r := self.Value(); r != nil {
			r.sweep()
		}
	})
}

// sweep evicts the partitions that are idle and have nothing to remember.
func (r *registry) sweep() {
	for more := true; more; {
		more = r.sweepSome()
		r.tellGone()
	}
}

// tellGone tells of the partitions that were evicted, once no lock is held.
func (r *registry) tellGone() {
	if r.onEviction == nil {
		return
	}
	r.mu.Lock()
	gone := r.gone
	r.gone = nil
	r.mu.Unlock()
	for _, g := range gone {
		r.onEviction(g)
	}
}

func (r *registry) sweepSome() (more bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.clock.Now()
	for range sweepBatch {
		if len(r.byUse) == 0 {
			r.byKey, r.byUse = make(map[uint64]*partition), nil // a map that was large stays large
			r.sweeping = false
			return false
		}
		if due := r.byUse[0].last.Add(idleFor); due > now {
			r.sweeping = false
			r.armSweep(due.Sub(now))
			return false
		}
		r.reap(now, false)
	}
	return true
}

// all returns the partitions, in no order.
func (r *registry) all() []*partition {
	r.mu.RLock()
	defer r.mu.RUnlock()
	all := make([]*partition, 0, len(r.byKey)+1)
	for _, p := range r.byKey {
		all = append(all, p)
	}
	if r.overflow != nil {
		all = append(all, r.overflow)
	}
	return all
}

// A use says when a partition was last seen to be used, which is the time of
// its last use or earlier.
type use struct {
	partition *partition
	last      pacer.Instant
}

// A useHeap has the partition at the front whose last known use is the oldest.
// As uses are noted only when a partition gets there, using one costs nothing,
// and still the front, once it needs no correction, is the longest idle of all.
type useHeap []use

func (h useHeap) Len() int           { return len(h) }
func (h useHeap) Less(i, j int) bool { return h[i].last < h[j].last }
func (h useHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *useHeap) Push(x any)        { *h = append(*h, x.(use)) }

func (h *useHeap) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	(*h)[last] = use{}
	*h = (*h)[:last]
	return x
}
