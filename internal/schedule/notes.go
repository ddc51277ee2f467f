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
	doubt     *doubt          // nil: no plain 503 has come of late
	forgets   int             // how often Forget was called; limits are other ones since
}

// note returns the notes of the partition, made if need be.
func (d *desk) note() *notes {
	if d.notes == nil {
		d.notes = &notes{}
	}
	return d.notes
}

// forgets is how often Forget was called.
func (d *desk) forgets() int {
	if d.notes == nil {
		return 0
	}
	return d.notes.forgets
}

// count has the bytes that the partition keeps counted as they are now.
func (d *desk) count() {
	if size := int32(d.pacer.Size()); size != d.size {
		d.Memory.Add(int64(size - d.size))
		d.size = size
	}
}

// resize notes how many bytes the partition keeps now.
func (d *desk) resize() {
	if d.size != 0 {
		d.count()
	}
}

// wantPart tells the fleet if a request waits that may not need to.
func (d *desk) wantPart() {
	if d.waiting != nil && d.notes != nil && d.notes.wants != nil {
		d.askForPart()
	}
}

func (d *desk) askForPart() {
	if !d.pacer.CanHaveMore() {
		return
	}
	select {
	case d.notes.wants <- struct{}{}:
	default: // it is told already
	}
}
