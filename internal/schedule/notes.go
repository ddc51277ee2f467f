package schedule

import (
	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/pacer"
)

// notes are what most partitions do not need.
type notes struct {
	name      string          // "": nobody was told
	shared    identity.Name   // what its fleet calls it; "": there is none
	wants     chan<- struct{} // see share.Fleet
	members   int             // of the fleet that it shares its quotas with
	atCeiling int             // requests that were let go and wait for the Ceiling
	throttled pacer.Instant   // when a response last refused a request; 0: never
	plain503s *plain503s      // nil: there have been no plain 503s of late
	forgets   int             // how often Forget was called; limits are other ones since
}

// note returns the notes of the partition, made if need be.
func (d *dispatcher) note() *notes {
	if d.notes == nil {
		d.notes = &notes{}
	}
	return d.notes
}

// forgets is how often Forget was called.
func (d *dispatcher) forgets() int {
	if d.notes == nil {
		return 0
	}
	return d.notes.forgets
}

// count has the bytes that the partition keeps counted as they are now.
func (d *dispatcher) count() {
	if size := int32(d.pacer.Size()); size != d.size {
		d.Memory.Add(int64(size - d.size))
		d.size = size
	}
}

// resize notes how many bytes the partition keeps now.
func (d *dispatcher) resize() {
	if d.size != 0 {
		d.count()
	}
}

// wantPart tells the fleet if a request waits that may not need to.
func (d *dispatcher) wantPart() {
	if d.waiting != nil && d.notes != nil && d.notes.wants != nil {
		d.askForPart()
	}
}

func (d *dispatcher) askForPart() {
	if !d.pacer.CanHaveMore() {
		return
	}
	select {
	case d.notes.wants <- struct{}{}:
	default: // it is told already
	}
}
