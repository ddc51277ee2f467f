package fleet

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/headway-go/headway/fleet/internal/store"
	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/internal/share"
)

const (
	renewEvery = time.Second            // the average, see Fleet.run
	hurryAfter = 250 * time.Millisecond // the shortest time between renewals, while requests wait for one
	retryMost  = 4 * time.Second        // the longest time until a store that fails is asked again. More: a store that is back is found late. Less: a store in trouble has more of it
	renewFor   = 2 * time.Second        // how long the store may take. More: others take a member for dead that is about to renew. Less: a distant store is lost
	leaseFor   = 3 * time.Second        // the lease: how long a part is valid, and a member counts as alive, without a renewal
)

// Options are the settings of a Fleet.
type Options struct {
	// Key is the secret from which the names of partitions and limits in the store are derived. It must be
	// the same in all processes of the fleet: at least 16 random bytes. Without it nobody can find out from
	// the store which servers the fleet talks to. nil means the key of the folder, with Local; it is an error with New.
	Key []byte
}

// ErrKey reports that Options.Key is missing or shorter than 16 bytes.
var ErrKey = errors.New("fleet: the key has less than 16 bytes")

// ErrOtherKey reports that processes with another key use the same folder, or the same prefix of the same server. They share
// quotas with each other, but not with this process. It is in FleetInfo.Err, within a second or so for a process that begins,
// and within a minute for others. A member of a server that others use for purposes of their own needs a prefix of its own.
var ErrOtherKey = errors.New("processes with another key are here, and do not share quotas with this one")

// A Fleet shares quotas between processes through a store. It implements [share.Fleet]: set it as the Fleet
// of one or more Transports. It is safe for concurrent use.
type Fleet struct {
	names  identity.NameKey // of partitions and limits
	census store.Census
	store  store.Store
	wants  chan struct{}
	stop   context.CancelFunc
	done   chan struct{}

	mu      sync.Mutex
	members []*transport
}

// New returns a Fleet with a store of this module: see [Local], and package redisfleet, for what programs call. The Fleet starts
// at once and does not wait for the store. While the store cannot be reached, requests are paced by the server's reports alone.
// The caller closes the Fleet.
//
// A Fleet has one goroutine, and a second one while it calls the store.
//
// New returns ErrKey if the key is too short.
func New(s store.Store, o Options) (*Fleet, error) {
	if len(o.Key) < store.LeastKey {
		return nil, fmt.Errorf("%w: %d", ErrKey, len(o.Key))
	}
	ctx, stop := context.WithCancel(context.Background())
	f := newFleet(s, o.Key)
	f.stop = stop
	go f.run(ctx)
	return f, nil
}

// newFleet returns a Fleet that does not run yet.
func newFleet(s store.Store, key []byte) *Fleet {
	names := nameKey(key)
	return &Fleet{
		names: names, census: store.Census{Key: string(names.Of("key"))}, store: newPatient(s),
		wants: make(chan struct{}, 1), done: make(chan struct{}),
	}
}

// nameKey derives the key of names from that of the fleet.
func nameKey(key []byte) identity.NameKey {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("headway fleet: names"))
	return mac.Sum(nil)
}

// Key implements [share.Fleet].
func (f *Fleet) Key() []byte { return slices.Clone(f.names) }

// Join implements [share.Fleet].
func (f *Fleet) Join(m *share.Member) (wants chan<- struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.members = append(f.members, newTransport(m, f))
	return f.wants
}

// want asks for a renewal of all members soon.
func (f *Fleet) want() {
	select {
	case f.wants <- struct{}{}:
	default: // a renewal is due already
	}
}

// Close ends the Fleet and gives the parts of its Transports back, so that other members need not wait for
// the lease to expire. Close waits for the store for a second at most. Requests may still be sent afterwards:
// they keep the last part for up to three seconds, and are then paced by the server's reports alone. Close
// returns the store's error if the parts could not be given back. Further calls return nil.
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

// run renews until ctx ends: regularly, and in between while requests wait for a renewal. A store that fails is asked
// ever more rarely, and by regular renewals alone.
func (f *Fleet) run(ctx context.Context) {
	defer close(f.done)
	regular := time.NewTimer(jittered(renewEvery))
	defer regular.Stop()
	var last time.Time
	retry, wants := renewEvery, f.wants
	for {
		hurried := false
		select {
		case <-ctx.Done():
			return
		case <-regular.C:
			regular.Reset(jittered(renewEvery))
		case <-wants:
			hurried = true
			if !pause(ctx, hurryAfter-time.Since(last)) {
				return
			}
		}
		if f.renew(ctx, hurried) {
			retry, wants = renewEvery, f.wants
		} else {
			regular.Reset(jittered(retry))
			retry, wants = min(2*retry, retryMost), nil
		}
		last = time.Now()
	}
}

// renew renews all Transports, and drops those that are gone. It reports whether the store has answered, if it was asked.
func (f *Fleet) renew(ctx context.Context, hurried bool) (answered bool) {
	f.mu.Lock()
	members := slices.Clone(f.members)
	f.mu.Unlock()
	answered = true
	for _, m := range members {
		isUsed, err := m.renew(ctx, f.store, hurried)
		answered = answered && err == nil
		if !isUsed && ctx.Err() == nil {
			f.mu.Lock()
			f.members = slices.DeleteFunc(f.members, func(x *transport) bool { return x == m })
			f.mu.Unlock()
		}
	}
	return answered
}

// newID returns a random name for a member, unique in the fleet.
func newID() string { return rand.Text()[:16] }
