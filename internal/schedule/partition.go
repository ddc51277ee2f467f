package schedule

import (
	"sync"

	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/pacer"
)

// A Partition is the state of the requests that share limits: what is known of the limits, and which requests wait for
// them. New makes one. It is safe for concurrent use.
type Partition struct {
	mu         sync.Mutex
	dispatcher dispatcher // guarded by mu, except isForgotten

	// The parts of the key do not change.
	origin     *identity.Origin // shared by the partitions of one origin
	credential uint64
}

// New returns a partition without any knowledge of limits. It keeps s, which must not change. If config is not nil, it
// replaces s.Pacer.
func New(s *Settings, config *pacer.Config, key identity.Key) *Partition {
	if config == nil {
		config = &s.Pacer
	}
	p := &Partition{origin: s.Origins.Of(&key), credential: key.Credential}
	p.dispatcher.Settings, p.dispatcher.pacer, p.dispatcher.used = s, pacer.New(config), s.Clock.Now()
	return p
}

// spins is how often a request tries to take the lock before it sleeps. That takes about as long as another request holds
// the lock. sync.Mutex sleeps at once where many goroutines are ready, and waking one takes longer than the wait. More
// spins waste time where the holder was interrupted.
const spins = 200

// lock locks mu for a request.
func (p *Partition) lock() {
	for range spins {
		if p.mu.TryLock() {
			return
		}
	}
	p.mu.Lock()
}

// Key returns the key of the partition.
func (p *Partition) Key() *identity.Key {
	k := p.origin.Key(p.credential)
	return &k
}

// Has reports whether k is the key of the partition.
func (p *Partition) Has(k *identity.Key) bool {
	return p.credential == k.Credential && p.origin.Host == k.Host && p.origin.Scheme == k.Scheme
}

// Name returns the name of the partition, as users see it. It is made once, as a Trace may need it for each request.
func (p *Partition) Name() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.dispatcher.note()
	if n.name == "" {
		n.name = p.Key().String()
	}
	return n.name
}

// Count begins to count the partition's bytes in Settings.Memory, until it is retired. A partition that is never retired
// must not count.
func (p *Partition) Count() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dispatcher.count()
}

// wake is called by the timer.
func (p *Partition) wake() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dispatcher.settle(p.dispatcher.Clock.Now(), p)
}
