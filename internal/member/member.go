// Package member is a Transport as its fleet sees it.
package member

import (
	"crypto/hmac"
	"crypto/sha256"
	"net/http"
	"sync/atomic"
	"time"
	"weak"

	"github.com/headway-go/headway/internal/gate"
	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/internal/registry"
	"github.com/headway-go/headway/internal/share"
)

// A Member implements share.Member for the partitions of one Transport. It does not keep the Transport alive.
type Member struct {
	partitions weak.Pointer[registry.Registry]
	names      identity.NameKey
	maxReset   time.Duration // the longest hold that is accepted
	reached    func(error)
	wants      chan<- struct{}
	isLost     atomic.Bool // the store was unreachable when it was last tried
}

// New returns the Member of a fleet, which has not joined yet; nil if there is no fleet. reached is called when the store
// becomes reachable or, with an error, unreachable. It must not keep the Transport alive.
func New(fleet share.Fleet, partitions *registry.Registry, maxReset time.Duration, reached func(error)) *Member {
	if fleet == nil {
		return nil
	}
	mac := hmac.New(sha256.New, fleet.Key())
	mac.Write([]byte("headway fleet: names"))
	return &Member{partitions: weak.Make(partitions), names: mac.Sum(nil), maxReset: maxReset, reached: reached}
}

// Join joins the fleet, which may call Usage at once. A nil Member joins none.
func (m *Member) Join(fleet share.Fleet) {
	if m != nil {
		m.wants = fleet.Join(m)
	}
}

// Adopt gives a new partition its name in the fleet. A nil Member gives none.
func (m *Member) Adopt(p *gate.Partition, req *http.Request) {
	if m != nil {
		p.Share(m.names.Partition(p.Key(), req), m.wants)
	}
}

// IsStoreLost reports whether the store is unreachable, so that no part can be expected. It is false for a nil Member.
func (m *Member) IsStoreLost() bool { return m != nil && m.isLost.Load() }

// Usage implements share.Member.
func (m *Member) Usage() (all []share.PartitionUsage, ok bool) {
	r := m.partitions.Value()
	if r == nil {
		return nil, false
	}
	for _, p := range r.All() {
		if usage, active := p.Usage(m.names); active {
			all = append(all, usage)
		}
	}
	return all, true
}

// Apportion implements share.Member.
func (m *Member) Apportion(parts []share.PartitionPart) {
	r := m.partitions.Value()
	if r == nil {
		return
	}
	named := make(map[identity.Name]*share.PartitionPart, len(parts))
	for i := range parts {
		named[identity.Name(parts[i].Name)] = &parts[i]
	}
	for _, p := range r.All() {
		if part := named[p.SharedName()]; part != nil {
			p.Apportion(m.names, part, m.maxReset)
		}
	}
}

// Reached implements share.Member.
func (m *Member) Reached(err error) {
	if isChanged := m.isLost.Swap(err != nil) != (err != nil); isChanged {
		m.reached(err)
	}
}
