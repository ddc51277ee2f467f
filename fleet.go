package headway

import (
	"crypto/hmac"
	"crypto/sha256"
	"net/http"
	"sync/atomic"
	"time"
	"weak"

	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/internal/schedule"
	"github.com/headway-go/headway/internal/share"
)

// A member is a Transport as its Fleet sees it: a share.Member. It does not keep the Transport alive.
type member struct {
	transport weak.Pointer[Transport]
	names     identity.NameKey
	maxReset  time.Duration // the longest hold that is accepted
	wants     chan<- struct{}
	isLost    atomic.Bool // the store was unreachable when it was last tried
}

// newMember returns t as a member that has not joined yet; nil if there is no Fleet.
func newMember(t *Transport) *member {
	if t.Fleet == nil {
		return nil
	}
	mac := hmac.New(sha256.New, t.Fleet.Key())
	mac.Write([]byte("headway fleet: names"))
	return &member{transport: weak.Make(t), names: mac.Sum(nil), maxReset: t.Bounds.OrDefaults().MaxReset}
}

// adopt gives a new partition its name in the fleet. A nil member gives none.
func (m *member) adopt(p *schedule.Partition, req *http.Request) {
	if m != nil {
		p.Share(m.names.Partition(p.Key(), req), m.wants)
	}
}

// isStoreLost reports whether the store is unreachable, so that no part can be expected. It is false for a nil member.
func (m *member) isStoreLost() bool { return m != nil && m.isLost.Load() }

// Usage implements share.Member.
func (m *member) Usage() (all []share.PartitionUsage, ok bool) {
	t := m.transport.Value()
	if t == nil {
		return nil, false
	}
	for _, p := range t.core.partitions.All() {
		if usage, active := p.Usage(m.names); active {
			all = append(all, usage)
		}
	}
	return all, true
}

// Apportion implements share.Member.
func (m *member) Apportion(parts []share.PartitionPart) {
	t := m.transport.Value()
	if t == nil {
		return
	}
	byName := make(map[identity.Name]*share.PartitionPart, len(parts))
	for i := range parts {
		byName[identity.Name(parts[i].Name)] = &parts[i]
	}
	for _, p := range t.core.partitions.All() {
		if part := byName[p.SharedName()]; part != nil {
			p.Apportion(m.names, part, m.maxReset)
		}
	}
}

// Reached implements share.Member.
func (m *member) Reached(err error) {
	isChanged := m.isLost.Swap(err != nil) != (err != nil)
	t := m.transport.Value()
	if !isChanged || t == nil {
		return
	}
	t.core.reporters.reached(err)
}
