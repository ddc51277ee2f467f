package fleet

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/headway-go/headway/internal/share"
)

const (
	renewEvery = time.Second            // on average, see Fleet.run
	hurryAfter = 250 * time.Millisecond // after the last renewal another one may follow if requests wait for it
	leaseFor   = 3 * time.Second        // without renewals, until members are believed to be gone, and go by what they see

	leastKey = 16 // bytes
)

// Options are what New can be told. Key must be set.
type Options struct {
	// Key is the secret by which all processes of the fleet give partitions the same
	// names, and nobody else can tell what these stand for: at least 16 bytes, random, and
	// the same in all processes.
	Key []byte

	// Prefix is what the names of all keys in the store begin with. "" means
	// "headway". Fleets with different prefixes know nothing of each other.
	Prefix string
}

// ErrKey says that Options.Key is missing or shorter than 16 bytes.
var ErrKey = errors.New("fleet: the key has less than 16 bytes")

// A Fleet shares quotas among processes by way of a store. It implements
// [share.Fleet]: set it as the Fleet of one or more Transports. It is safe for
// concurrent use.
type Fleet struct {
	key   []byte
	store store
	wants chan struct{}
	stop  context.CancelFunc
	done  chan struct{}

	mu      sync.Mutex
	members []*transport
}

// New returns a Fleet that has its store at client, a single server, Sentinel or Cluster. It
// begins at once, and does not wait for the store: where it cannot be reached, requests
// go on by what the server tells. The caller closes the Fleet, and the client after it.
//
// The Fleet has one goroutine, and another one while it asks the store.
//
// Errors: ErrKey, and one if client is nil.
func New(client redis.UniversalClient, o Options) (*Fleet, error) {
	if client == nil {
		return nil, errors.New("fleet: the client is nil")
	}
	if o.Prefix == "" {
		o.Prefix = "headway"
	}
	return newFleet(newRedisStore(client, o.Prefix), o.Key)
}

func newFleet(s store, key []byte) (*Fleet, error) {
	if len(key) < leastKey {
		return nil, fmt.Errorf("%w: %d", ErrKey, len(key))
	}
	ctx, stop := context.WithCancel(context.Background())
	f := &Fleet{key: slices.Clone(key), store: s, wants: make(chan struct{}, 1), stop: stop, done: make(chan struct{})}
	go f.run(ctx)
	return f, nil
}

// Key implements [share.Fleet].
func (f *Fleet) Key() []byte { return slices.Clone(f.key) }

// Join implements [share.Fleet].
func (f *Fleet) Join(m share.Member) (wants chan<- struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.members = append(f.members, newTransport(m, f.want))
	return f.wants
}

// want has all renewed soon.
func (f *Fleet) want() {
	select {
	case f.wants <- struct{}{}:
	default: // it is wanted already
	}
}

// Close ends the Fleet and gives back what its Transports have of quotas, so that others
// need not wait until it lapses; for that the store gets a second at most. Requests may
// still be sent: they go by the last part for up to three seconds, and then by what the
// server tells. It returns the error of the store, if that could not be told, and nil if it
// is called again.
func (f *Fleet) Close() error {
	f.mu.Lock()
	members := f.members
	f.members = nil
	f.mu.Unlock()
	f.stop()
	<-f.done
	ctx, cancel := context.WithTimeout(context.Background(), renewEvery)
	defer cancel()
	var err error
	for _, m := range members {
		err = errors.Join(err, m.leave(ctx, f.store))
	}
	return err
}

// run renews until ctx ends: regularly, and in between where requests wait for it.
func (f *Fleet) run(ctx context.Context) {
	defer close(f.done)
	regular := time.NewTimer(jittered(renewEvery))
	defer regular.Stop()
	var last time.Time
	for {
		hurried := false
		select {
		case <-ctx.Done():
			return
		case <-regular.C:
			regular.Reset(jittered(renewEvery))
		case <-f.wants:
			hurried = true
			if !pause(ctx, hurryAfter-time.Since(last)) {
				return
			}
		}
		f.renew(ctx, hurried)
		last = time.Now()
	}
}

// renew renews all Transports that there are.
func (f *Fleet) renew(ctx context.Context, hurried bool) {
	f.mu.Lock()
	members := slices.Clone(f.members)
	f.mu.Unlock()
	for _, m := range members {
		if !m.renew(ctx, f.store, hurried) && ctx.Err() == nil {
			f.mu.Lock()
			f.members = slices.DeleteFunc(f.members, func(x *transport) bool { return x == m })
			f.mu.Unlock()
		}
	}
}

// newID returns a name for a member that no other has.
func newID() string {
	var id [8]byte
	_, _ = rand.Read(id[:]) // it never fails, see its documentation
	return hex.EncodeToString(id[:])
}
