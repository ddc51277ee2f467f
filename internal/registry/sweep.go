package registry

import (
	"container/heap"
	"time"
	"weak"

	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/internal/schedule"
	"github.com/headway-go/headway/pacer"
)

const (
	// idleFor is how long an idle partition without useful knowledge is kept. Longer takes memory, shorter makes partitions
	// again more often.
	idleFor = 5 * time.Minute
	// sweepEvery is the shortest time between two sweeps.
	sweepEvery = time.Minute
	// sweepBatch is how many partitions a sweep looks at before others get the lock.
	sweepBatch = 1024
)

// sweepAfter sweeps after d. The timer does not keep the Transport alive.
func (r *Registry) sweepAfter(d time.Duration) {
	self := weak.Make(r)
	clock.After(max(d, sweepEvery), func() {
		if r := self.Value(); r != nil {
			r.sweep()
		}
	})
}

// sweep forgets the idle partitions without useful knowledge.
func (r *Registry) sweep() {
	for isOver := false; !isOver; {
		var gone []Eviction
		gone, isOver = r.sweepSome()
		r.tell(gone)
	}
}

// sweepSome looks at up to sweepBatch idle partitions. When no other one has been idle for long enough, it sets the timer
// for the next one and reports that the sweep is over.
func (r *Registry) sweepSome() (gone []Eviction, isOver bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.Clock.Now()
	for range sweepBatch {
		if len(r.idle) == 0 {
			r.index.clear() // else a table that was large once would stay large
			r.idle, r.isArmed = nil, false
			return gone, true
		}
		if due := r.idle[0].last.Add(idleFor); due > now {
			r.sweepAfter(due.Sub(now))
			return gone, true
		}
		if e, isGone := r.sweepOne(now, heap.Pop(&r.idle).(use)); isGone {
			gone = append(gone, e)
		}
	}
	return gone, false
}

// sweepOne forgets a partition that is not in the heap any more, or notes its use anew.
func (r *Registry) sweepOne(now pacer.Instant, u use) (e Eviction, isGone bool) {
	wasInUse := u.need == schedule.InUse
	_, u.need = u.partition.Needed(now)
	last := now // in use, or it has useful knowledge, so it is looked at again later
	if !wasInUse && u.need < schedule.InUse {
		if e, isGone = r.forget(now, u, schedule.Nothing); isGone {
			return e, true
		}
		if e.Used > u.last {
			last = e.Used
		}
	} // else its last request may have ended later than noted, see Visit.Served
	heap.Push(&r.idle, use{u.partition, last, u.need})
	return e, false
}
