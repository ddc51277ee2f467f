// Package share is what a Transport and its fleet have of each other. The Transport reports how much of each quota it uses,
// and the fleet allots a part of each quota to it. Module fleet implements a Fleet over Redis or Valkey.
package share

import (
	"cmp"
	"net/http"
	"sync"
	"time"
	"weak"

	"github.com/headway-go/headway/internal/gate"
	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/internal/registry"
	"github.com/headway-go/headway/limits"
)

// A Fleet lets processes that use the same credentials share their quotas. They report their use to each other and agree on
// their parts.
type Fleet interface {
	// Key is the secret for the hashed names of partitions in the fleet. It has at least 16 random bytes, as names from a
	// short key can be guessed. All processes of the fleet have the same key. Whoever knows it can find out which servers
	// they use. The Transport does not change it.
	Key() []byte

	// Join is called once by each Transport, at its first use. It must not block. From then on the Fleet calls the member's
	// Reports, until that says that the Transport is gone. The Transport sends to wants, without blocking, when a request
	// begins to wait that a larger part could let go. wants may be nil.
	Join(*Member) (wants chan<- struct{})
}

// A Member is a Transport as its Fleet sees it. It does not keep the Transport alive. Its methods may be called from any
// goroutine. None of them blocks, except Reached and Beside if the Trace's hook does.
type Member struct {
	partitions weak.Pointer[registry.Registry]
	names      identity.NameKey
	report     func(err error, isLost bool)
	wants      chan<- struct{}

	mu           sync.Mutex
	lost, beside fault
}

const (
	reportAgain = 10 * time.Minute // a fault that lasts is reported again
	reportNext  = time.Minute      // between reports of a fault that comes and goes
)

// A fault is something that is wrong with a fleet.
type fault struct {
	err    error     // nil: nothing
	isTold bool      // the last report had an error
	at     time.Time // of that report
}

// A Report says how much a Transport uses of one partition.
type Report struct {
	limits.Usage

	Apportion func(*limits.Parts) // sets the partition's parts
}

// Join makes the Transport with these partitions a member of a fleet; nil if there is none. report is called with what is
// wrong, and without an error when the store is reachable again. isLost says that it is or was not. report must not keep the
// Transport alive.
func Join(fleet Fleet, partitions *registry.Registry, report func(err error, isLost bool)) *Member {
	if fleet == nil {
		return nil
	}
	m := &Member{partitions: weak.Make(partitions), names: fleet.Key(), report: report}
	m.wants = fleet.Join(m)
	return m
}

// Adopt gives a new partition its name in the fleet. While the store is unreachable no part can be expected. A nil Member
// gives no names.
func (m *Member) Adopt(p *gate.Partition, req *http.Request) {
	if m != nil {
		p.Share(m.names.Partition(p.Key(), req), m.names.Shown(p.Key(), req), m.wants, !m.isLost())
	}
}

// Reports returns how much the member uses of each active partition. A partition is active while requests wait or are in
// flight or a hold is in force, and for half a minute after that. ok is false once the Transport is gone.
func (m *Member) Reports() (all []Report, ok bool) {
	r := m.partitions.Value()
	if r == nil {
		return nil, false
	}
	for _, p := range r.All() {
		if usage, active := p.Usage(); active {
			all = append(all, Report{usage, p.Apportion})
		}
	}
	return all, true
}

// Reached reports whether the fleet's store could be reached; nil means that it could. The Transport's Trace and Logger
// report each change, but a new loss at most once a minute, and every ten minutes a store that is still lost.
func (m *Member) Reached(err error) { m.set(&m.lost, err, true) }

// Beside reports what is wrong with the fleet although the store can be reached; nil means nothing. The Transport's Trace
// and Logger report it as they do a loss, but not its end.
func (m *Member) Beside(err error) { m.set(&m.beside, err, false) }

func (m *Member) set(f *fault, err error, isLost bool) {
	r := m.partitions.Value()
	if r == nil {
		return
	}
	_, now := r.Clock.Read()
	m.mu.Lock()
	every := reportNext
	if f.isTold {
		every = reportAgain
	}
	isNews := err != nil && now.Sub(f.at) >= every || err == nil && f.isTold
	f.err = err
	if isNews {
		f.isTold, f.at = err != nil, now
	}
	m.mu.Unlock()
	if isNews && (isLost || err != nil) {
		m.report(err, isLost)
	}
}

func (m *Member) isLost() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.lost.err != nil
}

// Fault returns what is wrong with the fleet; "" if nothing is. Without a fleet m is nil.
func (m *Member) Fault() string {
	if m == nil {
		return ""
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := cmp.Or(m.lost.err, m.beside.err); err != nil {
		return err.Error()
	}
	return ""
}
