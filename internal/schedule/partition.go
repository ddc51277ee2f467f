package schedule

import (
	"sync"
	"sync/atomic"

	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/pacer"
)

// Settings are shared by all partitions of one Transport. They must not change once a partition has them, except
// Origins.
type Settings struct {
	Clock   clock.Clock
	Pacer   pacer.Config
	Ceiling *Ceiling // the caller's limit on all requests; nil: none
	Shadow  bool     // delay no request

	Origins identity.Origins // of all partitions
}

// A Partition is the state of the requests that share limits: what is known of the limits, and which requests wait for
// them. The pacer says when the limits allow a request, and the queue says which request is next. New makes a Partition. It
// is safe for concurrent use.
type Partition struct {
	settings *Settings

	// The parts of the key do not change.
	origin     *identity.Origin // shared by the partitions of one origin
	credential uint64

	isForgotten atomic.Bool // the partition is no longer in the registry

	mu       sync.Mutex // guards the rest
	pacer    pacer.Partition
	paths    identity.Paths
	waiting  *waiting      // nil while nothing waits
	used     pacer.Instant // when a request was last sent or made
	notes    *notes        // nil: none
	trailers bool          // a trailer has reported limits
}

// notes are the state that most partitions do not need, kept apart to save memory.
type notes struct {
	name      string          // "": not made yet
	shared    identity.Name   // its name in the fleet; "": no fleet
	wants     chan<- struct{} // see share.Fleet
	members   int             // processes of the fleet that share the quotas
	atCeiling int             // requests that the partition allows and that wait for the Ceiling
	open      int             // responses whose bodies take a place in flight
	throttled pacer.Instant   // when a response last refused a request; 0: never
	forgets   int             // how often Forget was called; bytes of earlier responses do not count any more
}

// New returns a partition without any knowledge of limits. It keeps s, which must not change. If config is not nil, it
// replaces s.Pacer.
func New(s *Settings, config *pacer.Config, key identity.Key) *Partition {
	if config == nil {
		config = &s.Pacer
	}
	return &Partition{
		settings: s, origin: s.Origins.Of(&key), credential: key.Credential,
		pacer: pacer.New(config), used: s.Clock.Now(),
	}
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

func (p *Partition) now() pacer.Instant { return p.settings.Clock.Now() }

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
	n := p.note()
	if n.name == "" {
		n.name = p.Key().String()
	}
	return n.name
}

// note returns the notes of the partition, and makes them if there are none.
func (p *Partition) note() *notes {
	if p.notes == nil {
		p.notes = &notes{}
	}
	return p.notes
}

// forgets returns how often Forget was called.
func (p *Partition) forgets() int {
	if p.notes == nil {
		return 0
	}
	return p.notes.forgets
}

// countAtCeiling adds n to the number of requests that wait for the Ceiling.
func (p *Partition) countAtCeiling(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.note().atCeiling += n
}
