package headway

import (
	"crypto/hmac"
	"crypto/sha256"
	"net/http"
	"sync"
	"time"
	"weak"

	"github.com/headway-go/headway/internal/identity"
)

// A Fleet is how processes that use the same credentials share the quotas of these: they
// tell each other what they use, and agree on their parts. Package
// github.com/headway-go/headway/fleet has one over Redis or Valkey.
type Fleet interface {
	// Key is the secret that partitions get their names in the fleet with: at least 16
	// random bytes, as names made with a short one can be guessed. It is the same in all
	// processes, and known to nobody who is not to know whom they talk to. It is not
	// kept or written to.
	Key() []byte

	// Join is called once by each Transport, at its first use. It must not block. From
	// then on the Fleet asks the member for what it uses and tells it its parts, until
	// the member is no more. Into wants the Transport puts a value, if there is room,
	// whenever a request begins to wait that need not wait for long: because no part has
	// been told, or a larger one is to be had. nil means that the Fleet does not want to
	// know.
	Join(*FleetMember) (wants chan<- struct{})
}

// A FleetMember is a Transport as its Fleet sees it. It does not keep the Transport
// alive. Only Transports make them. Its methods may be called from any goroutine; none of
// them blocks, unless the hook does that Reached calls.
type FleetMember struct {
	registry weak.Pointer[registry]
	names    identity.NameKey
	maxReset time.Duration // how far away the end of a hold may be
	wants    chan<- struct{}

	mu   sync.Mutex
	lost bool // the store, when it was last tried
}

func (t *Transport) joinFleet() {
	if t.Fleet == nil {
		return
	}
	mac := hmac.New(sha256.New, t.Fleet.Key())
	mac.Write([]byte("headway fleet: names"))
	t.partitions.member = &FleetMember{
		registry: weak.Make(t.partitions),
		names:    mac.Sum(nil),
		maxReset: t.Bounds.OrDefaults().MaxReset,
	}
	t.partitions.unshared = t.partitions.config
	t.partitions.unshared.Shared = false
	t.partitions.onFleet = t.observeFleet
	t.partitions.member.wants = t.Fleet.Join(t.partitions.member)
}

// unreached reports whether the store could not be reached when it was last tried. A nil member has
// none.
func (m *FleetMember) unreached() bool {
	if m == nil {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.lost
}

// adopt gives a new partition its name in the fleet. A nil member has none.
func (m *FleetMember) adopt(p *partition, req *http.Request) {
	if m != nil {
		p.notes = &notes{shared: m.names.Partition(&p.key, req), wants: m.wants}
	}
}

// wantPart tells the fleet that a request waits that need not.
func (p *partition) wantPart() {
	if p.notes == nil || p.notes.wants == nil || p.queue == nil || !p.pacer.CanHaveMore() {
		return
	}
	select {
	case p.notes.wants <- struct{}{}:
	default: // it is told already
	}
}

// Usage returns what the member uses of each partition in which requests wait, are in
// flight or held, or have been in the last half minute. ok is false once the Transport is no
// more: then there is nobody to tell a part to.
func (m *FleetMember) Usage() (all []PartitionUsage, ok bool) {
	r := m.registry.Value()
	if r == nil {
		return nil, false
	}
	for _, p := range r.all() {
		if usage, active := p.usage(m.names); active {
			all = append(all, usage)
		}
	}
	return all, true
}

// Apportion tells the member its parts. Those of partitions that it does not have any
// more are ignored.
func (m *FleetMember) Apportion(parts []PartitionPart) {
	r := m.registry.Value()
	if r == nil {
		return
	}
	byName := make(map[identity.Name]*PartitionPart, len(parts))
	for i := range parts {
		byName[identity.Name(parts[i].Name)] = &parts[i]
	}
	for _, p := range r.all() {
		p.apportion(m, byName)
	}
}

// Reached tells the Transport whether the store of the fleet could be reached, so that it
// tells its Trace and its log when that changes; nil means that it could.
func (m *FleetMember) Reached(err error) {
	m.mu.Lock()
	changed := m.lost != (err != nil)
	m.lost = err != nil
	m.mu.Unlock()
	if r := m.registry.Value(); r != nil && changed {
		r.onFleet(FleetInfo{Err: err})
	}
}
