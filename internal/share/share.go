// Package share is what a Transport and its fleet have of each other. The Transport reports how much of each quota it uses,
// and the fleet allots a part of each quota to it. Module fleet implements a Fleet over Redis or Valkey.
package share

import (
	"net/http"
	"sync/atomic"
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
// goroutine. None of them blocks, except Reached if the Trace's hook does.
type Member struct {
	partitions weak.Pointer[registry.Registry]
	names      identity.NameKey
	reached    func(error)
	wants      chan<- struct{}
	isLost     atomic.Bool // the store was unreachable when it was last tried
}

// A Report says how much a Transport uses of one partition.
type Report struct {
	limits.Usage

	Apportion func(*limits.Parts) // sets the partition's parts
}

// Join makes the Transport with these partitions a member of a fleet; nil if there is none. reached is called when the
// store becomes reachable or, with an error, unreachable. It must not keep the Transport alive.
func Join(fleet Fleet, partitions *registry.Registry, reached func(error)) *Member {
	if fleet == nil {
		return nil
	}
	m := &Member{partitions: weak.Make(partitions), names: fleet.Key(), reached: reached}
	m.wants = fleet.Join(m)
	return m
}

// Adopt gives a new partition its name in the fleet. While the store is unreachable no part can be expected. A nil Member
// gives no names.
func (m *Member) Adopt(p *gate.Partition, req *http.Request) {
	if m != nil {
		p.Share(m.names.Partition(p.Key(), req), m.names.Shown(p.Key(), req), m.wants, !m.isLost.Load())
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
// report each change.
func (m *Member) Reached(err error) {
	if isChanged := m.isLost.Swap(err != nil) != (err != nil); isChanged {
		m.reached(err)
	}
}
