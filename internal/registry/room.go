package registry

import (
	"container/heap"
	"sync/atomic"
	"time"

	"github.com/headway-go/headway/internal/schedule"
	"github.com/headway-go/headway/pacer"
)

const (
	// mostLooked is among how many partitions that seem longest idle the one is found that goes. More would find one
	// that is needed less, and keep the lock for longer.
	mostLooked = 64
	// fullFor is how long memory is not searched for again after nothing could go.
	fullFor = time.Second
)

// A table has the partitions, and knows which was idle longest. It has no lock.
type table struct {
	byKey     index
	byUse     useHeap       // the same partitions, longest idle first
	fullUntil pacer.Instant // memory is not searched for before
}

func (t *table) put(p *schedule.Partition, now pacer.Instant) {
	p.Count()
	t.byKey.put(p)
	heap.Push(&t.byUse, use{p, now, false})
}

// A candidate is a partition that may have to go.
type candidate struct {
	use
	need schedule.Need
}

// makeRoom forgets one partition: the longest idle one in which nothing is held, or else the longest idle one that is
// held. It reports false if none can go, because all that seem longest idle are in use, as the wanted one is about to be.
func (t *table) makeRoom(now pacer.Instant, wanted *schedule.Partition) (e Eviction, isGone bool) {
	candidates := t.longestIdle(now, wanted)
	best := -1
	for i, c := range candidates {
		if c.need < schedule.InUse && (best < 0 || c.goesBefore(candidates[best])) {
			best = i
		}
	}
	if best >= 0 {
		e, isGone = t.forget(now, candidates[best].use, schedule.Held)
		e.Full = true
	}
	for i, c := range candidates {
		if i != best || !isGone {
			heap.Push(&t.byUse, c.use)
		}
	}
	return e, isGone
}

// goesBefore reports whether c is forgotten rather than another one.
func (c candidate) goesBefore(other candidate) bool {
	if isHeld := c.need == schedule.Held; isHeld != (other.need == schedule.Held) {
		return !isHeld
	}
	return c.last < other.last
}

// longestIdle takes partitions from the heap that seem longest idle, as of now. It stops at one that surely is.
func (t *table) longestIdle(now pacer.Instant, wanted *schedule.Partition) (candidates []candidate) {
	for len(candidates) < mostLooked && len(t.byUse) > 0 {
		u := heap.Pop(&t.byUse).(use)
		used, need := u.partition.Needed(now)
		if u.partition == wanted {
			need = schedule.InUse
		}
		isSure := used <= u.last && need < schedule.Held && len(candidates) == 0
		if need == schedule.InUse {
			used = now
		}
		candidates = append(candidates, candidate{use{u.partition, max(used, u.last), need == schedule.InUse}, need})
		if isSure {
			break
		}
	}
	return candidates
}

// forget takes a partition, which is not in the heap any more, out of the table if it is needed no more than most and was
// not used since it was looked at.
func (t *table) forget(now pacer.Instant, u use, most schedule.Need) (e Eviction, isGone bool) {
	used, isGone := u.partition.Retire(now, u.last, most)
	if isGone {
		t.byKey.remove(u.partition.Key())
	}
	return Eviction{Partition: u.partition, Now: now, Used: used}, isGone
}

// shrink forgets partitions, but for the wanted one, until all keep no more than most.
func (t *table) shrink(now pacer.Instant, wanted *schedule.Partition, memory *atomic.Int64, most int64) (gone []Eviction) {
	if now < t.fullUntil {
		return nil
	}
	for memory.Load() > most {
		e, isGone := t.makeRoom(now, wanted)
		if !isGone {
			t.fullUntil = now.Add(fullFor)
			break
		}
		gone = append(gone, e)
	}
	return gone
}

// A use says when a partition was last seen to be used, which is the time of its last use or earlier.
type use struct {
	partition *schedule.Partition
	last      pacer.Instant
	wasInUse  bool // then, by a request
}

// A useHeap has the partition at the front whose last known use is the oldest. As uses are noted only when a partition
// gets there, using one costs nothing.
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
