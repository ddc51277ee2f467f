// Package registry finds, makes and forgets the partitions of one Transport. It knows nothing of what partitions do. It
// calls hooks for new and for forgotten partitions.
package registry

import (
	"container/list"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
	"weak"

	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/internal/gate"
	"github.com/headway-go/headway/internal/identity"
)

// MaxPartitions is the usual bound of the partitions of one Transport. Their number may depend on the program's input, such
// as the hosts of a crawler or the users of a gateway.
const MaxPartitions = 10_000

const (
	// sweepEvery is the time between two looks for idle partitions. Longer keeps them for longer, shorter takes more time.
	sweepEvery = time.Minute
	// mostLooked is how many partitions a request looks at to find room for a new one. More would hold the lock for longer.
	mostLooked = 64
)

// A Registry holds the partitions of one Transport. New makes one. It is safe for concurrent use.
type Registry struct {
	Options

	mu         sync.Mutex // locked before a partition's lock, never after it
	partitions map[identity.Key]*list.Element
	order      list.List // of the partitions, the last used first
	isArmed    bool      // the timer of the next sweep is running

	last atomic.Pointer[gate.Partition] // that Find found last, as most programs have one; nil: it is forgotten
}

// Options configure a Registry. None of the functions may call the Registry.
type Options struct {
	Clock *clock.Clock
	Most  int // partitions that are kept; negative: any number
	Make  func(identity.Key) *gate.Partition
	Made  func(*gate.Partition, *http.Request) // has a new partition that is kept, before its first use, and its first request
	Gone  func(Eviction)                       // has a forgotten partition; no lock is held
}

// An Eviction says which partition was forgotten, and why.
type Eviction struct {
	Partition *gate.Partition
	Idle      time.Duration // since its last use
	Full      bool          // another partition needed the room
}

// New returns a Registry without partitions.
func New(o Options) *Registry {
	return &Registry{Options: o, partitions: make(map[identity.Key]*list.Element)}
}

// Find returns the partition of the request's key, which is as spelled, and makes it if there is none. If there is no room
// for another one, the request gets a partition of its own, which is dropped after it.
func (r *Registry) Find(k identity.Key, req *http.Request) *gate.Partition {
	return r.within(mostLooked, k, req)
}

// Look is Find, but no other partition is forgotten to make room.
func (r *Registry) Look(k identity.Key, req *http.Request) *gate.Partition {
	return r.within(0, k, req)
}

// within looks at most partitions at most to find room for a new one.
func (r *Registry) within(most int, k identity.Key, req *http.Request) *gate.Partition {
	if p := r.last.Load(); p != nil && p.Key() == k {
		return p
	}
	p, gone := r.find(most, k, req)
	r.tell(gone)
	return p
}

func (r *Registry) find(most int, k identity.Key, req *http.Request) (p *gate.Partition, gone Eviction) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.partitions[k]
	if e == nil {
		k = k.Normalized()
		e = r.partitions[k]
	}
	if e == nil {
		return r.add(most, k.Clone(), req)
	}
	r.order.MoveToFront(e)
	p = e.Value.(*gate.Partition)
	r.last.Store(p)
	return p, gone
}

// add makes the partition of a key. If another one had to go for it, gone is that one.
func (r *Registry) add(most int, k identity.Key, req *http.Request) (p *gate.Partition, gone Eviction) {
	r.last.Store(nil) // it is not the last one any more
	p = r.Make(k)
	for looks := 0; r.Most >= 0 && len(r.partitions) >= r.Most; looks++ {
		if looks == most {
			return p, gone
		}
		oldest := r.order.Back()
		r.order.MoveToFront(oldest) // it is in use, unless it is forgotten
		gone = r.forget(oldest, true)
	}
	r.Made(p, req)
	r.partitions[k] = r.order.PushFront(p)
	if !r.isArmed {
		r.isArmed = true
		r.sweepLater()
	}
	return p, gone
}

// forget removes a partition, unless it is needed. gone is zero if it stays.
func (r *Registry) forget(e *list.Element, isFull bool) (gone Eviction) {
	p := e.Value.(*gate.Partition)
	idle, isGone := p.Retire(r.Clock.Now(), isFull)
	if !isGone {
		return gone
	}
	r.last.Store(nil)
	delete(r.partitions, p.Key())
	r.order.Remove(e)
	return Eviction{Partition: p, Idle: idle, Full: isFull}
}

func (r *Registry) tell(gone Eviction) {
	if gone.Partition != nil {
		r.Gone(gone)
	}
}

// All returns the partitions, the last used first.
func (r *Registry) All() []*gate.Partition {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := make([]*gate.Partition, 0, len(r.partitions))
	for e := r.order.Front(); e != nil; e = e.Next() {
		all = append(all, e.Value.(*gate.Partition))
	}
	return all
}

// sweepLater sets the timer of the next sweep, which does not keep the Transport alive.
func (r *Registry) sweepLater() {
	self := weak.Make(r)
	clock.After(sweepEvery, func() {
		if r := self.Value(); r != nil {
			r.sweep()
		}
	})
}

// sweep forgets the partitions that have been idle for long and know nothing of use. Others get the lock after each.
func (r *Registry) sweep() {
	for _, p := range r.All() {
		var gone Eviction
		r.mu.Lock()
		if e := r.partitions[p.Key()]; e != nil {
			gone = r.forget(e, false)
		}
		r.mu.Unlock()
		r.tell(gone)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.isArmed = len(r.partitions) > 0; r.isArmed {
		r.sweepLater()
	}
}
