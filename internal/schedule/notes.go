package schedule

import (
	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/pacer"
)

// notes are the state that most partitions do not need, kept apart to save memory.
type notes struct {
	name      string          // "": not made yet
	shared    identity.Name   // its name in the fleet; "": no fleet
	wants     chan<- struct{} // see share.Fleet
	members   int             // processes of the fleet that share the quotas
	atCeiling int             // requests that the partition allows and that wait for the Ceiling
	open      int             // responses whose bodies take a place in flight
	throttled pacer.Instant   // when a response last refused a request; 0: never
	plain503s *plain503s      // nil: there have been no plain 503s of late
	trailers  bool            // the server reports limits in trailers
	forgets   int             // how often Forget was called; bytes of earlier responses do not count any more
}

// note returns the notes of the partition, and makes them if there are none.
func (d *dispatcher) note() *notes {
	if d.notes == nil {
		d.notes = &notes{}
	}
	return d.notes
}

// forgets returns how often Forget was called.
func (d *dispatcher) forgets() int {
	if d.notes == nil {
		return 0
	}
	return d.notes.forgets
}

// count updates Settings.Memory to the partition's size now.
func (d *dispatcher) count() {
	if size := int32(d.pacer.Size()); size != d.size {
		d.Memory.Add(int64(size - d.size))
		d.size = size
	}
}

// resize updates Settings.Memory, unless the partition does not count.
func (d *dispatcher) resize() {
	if d.size != 0 {
		d.count()
	}
}

// wantPart asks the fleet for a larger part if a request waits.
func (d *dispatcher) wantPart() {
	if d.waiting != nil && d.notes != nil && d.notes.wants != nil {
		d.askForPart()
	}
}

func (d *dispatcher) askForPart() {
	if !d.pacer.PartMayGrow() {
		return
	}
	select {
	case d.notes.wants <- struct{}{}:
	default: // the fleet was asked already
	}
}
