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

// A member is a Transport as its Fleet sees it. It implements share.Member, and does not keep the Transport alive.
type member struct {
	transport weak.Pointer[Transport]
	names     identity.NameKey
	maxReset  time.Duration // how far away the end of a hold may be
	wants     chan<- struct{}
	isLost    atomic.Bool // the store, when it was last tried
}

// joinFleet joins the Fleet, if there is one.
func (t *Transport) joinFleet() {
	if t.Fleet == nil {
		return
	}
	mac := hmac.New(sha256.New, t.Fleet.Key())
	mac.Write([]byte("headway fleet: names"))
	m := &member{
		transport: weak.Make(t),
		names:     mac.Sum(nil),
		maxReset:  t.Bounds.OrDefaults().MaxReset,
	}
	t.core.unshared = t.core.settings.Pacer
	t.core.unshared.Shared = false
	t.core.member = m
	m.wants = t.Fleet.Join(m)
}

// newPartition makes a partition. While the Fleet's store is lost it does not wait for a part.
func (t *Transport) newPartition(k identity.Key) *schedule.Partition {
	config := &t.core.settings.Pacer
	if m := t.core.member; m != nil && m.isLost.Load() {
		config = &t.core.unshared
	}
	return schedule.New(&t.core.settings, config, k)
}

// adopt gives a new partition its names, and what was restored of it.
func (t *Transport) adopt(p *schedule.Partition, req *http.Request) {
	t.core.shelf.Adopt(p, req)
	if m := t.core.member; m != nil {
		p.Share(m.names.Partition(p.Key(), req), m.wants)
	}
}

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
	if isChanged && t != nil && t.core.trace != nil && t.core.trace.Fleet != nil {
		t.core.trace.Fleet(FleetInfo{Err: err})
	}
}
