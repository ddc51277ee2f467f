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
	for more := true; more; {
		var gone []Eviction
		gone, more = r.sweepSome()
		r.tell(gone)
	}
}

func (r *Registry) sweepSome() (gone []Eviction, more bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.Clock.Now()
	gone, due := r.table.sweep(now)
	switch {
	case due == pacer.Never:
		r.isArmed = false
	case due > now:
		r.sweepAfter(due.Sub(now))
	default:
		return gone, true
	}
	return gone, false
}

// sweep looks at up to sweepBatch idle partitions. due is when the next one will be idle for long enough; Never: there is
// none.
func (t *table) sweep(now pacer.Instant) (gone []Eviction, due pacer.Instant) {
	for range sweepBatch {
		if len(t.byUse) == 0 {
			t.byKey.clear() // else a table that was large once would stay large
			t.byUse = nil
			return gone, pacer.Never
		}
		if due := t.byUse[0].last.Add(idleFor); due > now {
			return gone, due
		}
		u := heap.Pop(&t.byUse).(use)
		_, need := u.partition.Needed(now)
		isInUse := need == schedule.InUse
		if isInUse || u.wasInUse { // its last request may have ended later than noted, see Visit.Served
			heap.Push(&t.byUse, use{u.partition, now, isInUse})
			continue
		}
		e, isGone := t.forget(now, u, schedule.Nothing)
		if isGone {
			gone = append(gone, e)
			continue
		}
		if e.Used <= u.last {
			e.Used = now // it has useful knowledge, so it is looked at again later
		}
		heap.Push(&t.byUse, use{u.partition, e.Used, false})
	}
	return gone, now
}
