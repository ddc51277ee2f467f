package schedule

import (
	"sync"

	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/pacer"
)

// A Partition is the requests that share limits: what is known of the limits, and who waits for them. It is made by
// New and safe for concurrent use.
type Partition struct {
	mu         sync.Mutex
	dispatcher dispatcher // locked by mu, but for isForgotten

	// The parts of the key, never written to.
	origin     *identity.Origin // many partitions have the same one
	credential uint64
}

// New returns a partition of which nothing is known. s is kept and not written to; so is config, which stands for
// s.Pacer unless it is nil.
func New(s *Settings, config *pacer.Config, key identity.Key) *Partition {
	if config == nil {
		config = &s.Pacer
	}
	p := &Partition{origin: s.Origins.Of(&key), credential: key.Credential}
	p.dispatcher.Settings, p.dispatcher.pacer, p.dispatcher.used = s, pacer.New(config), s.Clock.Now()
	return p
}

// spins is how often a request tries for the lock before it sleeps: about as long as another one has it. Where many
// goroutines are ready sync.Mutex sleeps at once, and to wake one takes longer than that. More wastes time where the
// holder was interrupted.
const spins = 200

// lock locks mu, on the way of a request.
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

// Has reports whether that is the key of the partition.
func (p *Partition) Has(k *identity.Key) bool {
	return p.credential == k.Credential && p.origin.Host == k.Host && p.origin.Scheme == k.Scheme
}

// Name returns the name of the partition, as users see it. It is made but once: making it takes time, and each request
// may be told of.
func (p *Partition) Name() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.dispatcher.note()
	if n.name == "" {
		n.name = p.Key().String()
	}
	return n.name
}

// Count has the bytes that the partition keeps counted from now on, until it is retired. Those of one that nobody would
// retire must not count.
func (p *Partition) Count() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dispatcher.count()
}

// wake is what the timer calls.
func (p *Partition) wake() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dispatcher.settle(p.dispatcher.Clock.Now(), p)
}
