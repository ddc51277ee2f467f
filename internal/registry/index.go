package registry

import (
	"sync/atomic"

	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/internal/schedule"
)

// leastSlots is the size of a new index.
const leastSlots = 16

// An index is a hash table of partitions with linear probing. find takes no lock and writes to no memory, so requests of
// different partitions do not slow each other down. The Registry's lock guards all other methods.
type index struct {
	slots atomic.Pointer[[]slot] // their number is a power of two, and at most half are taken; nil: none yet
	n     int
}

// A slot is nil while it is free.
type slot = atomic.Pointer[schedule.Partition]

// find returns the partition of that key, or nil. Without the lock it may miss a partition while another one is removed.
func (x *index) find(k *identity.Key) *schedule.Partition {
	slots := x.slots.Load()
	if slots == nil {
		return nil
	}
	for i := home(k, *slots); ; i = after(i, *slots) {
		if p := (*slots)[i].Load(); p == nil || p.Has(k) {
			return p
		}
	}
}

// put adds a partition. No other partition may have its key.
func (x *index) put(p *schedule.Partition) {
	slots := x.slots.Load()
	switch {
	case slots == nil:
		slots = new(make([]slot, leastSlots))
	case 2*x.n >= len(*slots):
		larger := make([]slot, 2*len(*slots))
		for _, p := range x.all() {
			place(p, larger)
		}
		slots = &larger
	}
	place(p, *slots)
	x.slots.Store(slots)
	x.n++
}

// remove removes the partition of that key, which must be there. Partitions that probing would no longer find move into
// the gap.
func (x *index) remove(k *identity.Key) {
	slots := *x.slots.Load()
	gap := home(k, slots)
	for !slots[gap].Load().Has(k) {
		gap = after(gap, slots)
	}
	for i := after(gap, slots); slots[i].Load() != nil; i = after(i, slots) {
		p, mask := slots[i].Load(), len(slots)-1
		if (i-home(p.Key(), slots))&mask >= (i-gap)&mask {
			slots[gap].Store(p)
			gap = i
		}
	}
	slots[gap].Store(nil)
	x.n--
}

// clear removes all partitions and frees the memory.
func (x *index) clear() {
	x.slots.Store(nil)
	x.n = 0
}

// all returns the partitions in no particular order.
func (x *index) all() []*schedule.Partition {
	all := make([]*schedule.Partition, 0, x.n)
	if slots := x.slots.Load(); slots != nil {
		for i := range *slots {
			if p := (*slots)[i].Load(); p != nil {
				all = append(all, p)
			}
		}
	}
	return all
}

// place puts a partition into the first free slot at or after its home.
func place(p *schedule.Partition, slots []slot) {
	i := home(p.Key(), slots)
	for slots[i].Load() != nil {
		i = after(i, slots)
	}
	slots[i].Store(p)
}

// home is the slot at which probing for a key begins.
func home(k *identity.Key, slots []slot) int { return int(k.Hash() & uint64(len(slots)-1)) }

func after(i int, slots []slot) int { return (i + 1) & (len(slots) - 1) }
