package schedule

import (
	"sync"
	"sync/atomic"

	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/pacer"
)

// A Partition is the requests that share limits: what is known of the limits, and who waits for them. It is made by
// New and safe for concurrent use.
type Partition struct {
	mu        sync.Mutex
	desk      desk
	key       identity.Key // never written to
	forgotten atomic.Bool  // it is no longer in the registry; set under mu
	size      int32        // bytes, as counted in Settings.Memory; 0: they do not count
	notes     *notes       // nil: none
}

// notes are what most partitions do not need.
type notes struct {
	name      string          // "": nobody was told
	shared    identity.Name   // what its fleet calls it; "": there is none
	wants     chan<- struct{} // see share.Fleet
	members   int             // of the fleet that it shares its quotas with
	atCeiling int             // requests that were let go and wait for the Ceiling
	throttled pacer.Instant   // when a response last refused a request; 0: never
	forgets   int             // how often Forget was called; limits are other ones since
}

// New returns a partition of which nothing is known. s is kept and not written to; so is config, which stands for
// s.Pacer unless it is nil.
func New(s *Settings, config *pacer.Config, key identity.Key) *Partition {
	if config == nil {
		config = &s.Pacer
	}
	p := &Partition{key: key}
	p.desk.Settings, p.desk.pacer, p.desk.used = s, pacer.New(config), s.Clock.Now()
	return p
}

// Key returns the key of the partition.
func (p *Partition) Key() *identity.Key { return &p.key }

// note returns the notes of the partition, made if need be.
func (p *Partition) note() *notes {
	if p.notes == nil {
		p.notes = &notes{}
	}
	return p.notes
}

// forgets is how often Forget was called.
func (p *Partition) forgets() int {
	if p.notes == nil {
		return 0
	}
	return p.notes.forgets
}

// Name returns the name of the partition, as users see it. It is made but once: making it takes time, and each request
// may be told of.
func (p *Partition) Name() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.note()
	if n.name == "" {
		n.name = p.key.String()
	}
	return n.name
}

// Count has the bytes that the partition keeps counted from now on, until it is retired. Those of one that nobody would
// retire must not count.
func (p *Partition) Count() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count()
}

func (p *Partition) count() {
	if size := int32(p.desk.pacer.Size()); size != p.size {
		p.desk.Memory.Add(int64(size - p.size))
		p.size = size
	}
}

// resize notes how many bytes the partition keeps now.
func (p *Partition) resize() {
	if p.size != 0 {
		p.count()
	}
}

// wake is what the timer calls.
func (p *Partition) wake() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.desk.settle(p.desk.Clock.Now(), p)
}
