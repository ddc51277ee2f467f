package gate

import (
	"sync"
	"time"

	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/pacer"
)

// Settings are shared by all partitions of one Transport. They must not change once a partition has them.
type Settings struct {
	Clock   clock.Clock
	Pacer   pacer.Config
	Ceiling *Ceiling      // the caller's limit on all requests; nil: none
	Shadow  bool          // delay no request
	MaxHold time.Duration // the longest hold that is taken over from other processes
}

// A Partition is the state of the requests that share limits: what is known of the limits, and which requests wait for
// them. The pacer says when the limits allow a request, and the queue says which request is next. New makes a Partition. It
// is safe for concurrent use.
type Partition struct {
	SavedName identity.Name // in snapshots, set before the first use; "": none

	settings *Settings // as key, it does not change
	key      identity.Key
	name     string // for users, set before the first use

	mu          sync.Mutex // guards the rest
	isForgotten bool       // the partition is no longer in the registry
	pacer       pacer.Partition
	routes      identity.Routes
	queue       queue
	timer       *time.Timer   // nil: nothing in the queue depends on the time
	alarm       pacer.Instant // when the timer settles the queue
	used        pacer.Instant // when a request was last sent or made
	latest      pacer.Instant // see notBefore
	atCeiling   int           // requests that the partition allows and that wait for the Ceiling
	bodies      int           // responses whose bodies take a place in flight
	throttled   pacer.Instant // when a response last refused a request; 0: never
	final       string        // see State.Final
	forgets     int           // how often Forget was called; bytes of earlier responses do not count any more
	trailers    bool          // a trailer has reported limits

	shared string          // its name in the fleet; "": no fleet
	wants  chan<- struct{} // see share.Fleet
}

// New returns a partition without any knowledge of limits. It keeps s, which must not change, and key.
func New(s *Settings, key identity.Key) *Partition {
	p := &Partition{settings: s, key: key, name: key.String(), pacer: pacer.New(&s.Pacer), used: s.Clock.Now()}
	p.queue.uses = func(w *waiter) pacer.LimitSet { return p.pacer.Uses(&w.cost) }
	return p
}

// now returns the present moment. The lock must be held.
func (p *Partition) now() pacer.Instant { return p.notBefore(p.settings.Clock.Now()) }

// notBefore returns an instant, or the latest one that the pacer may have got. The pacer takes an instant far before that for
// one of a clock that was set back, and its holds would end as much earlier.
func (p *Partition) notBefore(at pacer.Instant) pacer.Instant {
	p.latest = max(p.latest, at)
	return p.latest
}

// Key returns the key of the partition.
func (p *Partition) Key() identity.Key { return p.key }

// Name returns the name of the partition, as users see it.
func (p *Partition) Name() string { return p.name }

// countAtCeiling adds n to the number of requests that wait for the Ceiling.
func (p *Partition) countAtCeiling(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.atCeiling += n
}
