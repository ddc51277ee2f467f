package fleet

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/fleet/internal/fleettest"
	"github.com/headway-go/headway/fleet/internal/store"
	"github.com/headway-go/headway/internal/share"
)

// memory is a store in this process, for virtual time.
type memory struct {
	delay time.Duration // of each call, half before it and half after it
	late  time.Duration // the most by which a renewal is late at random, before it and after it
	calls atomic.Int64  // of renew

	mu       sync.Mutex
	all      map[string]*store.Contents
	commands int
	down     bool
}

// Fleet implements fleettest.Store.
func (s *memory) Fleet(t *testing.T) share.Fleet {
	t.Helper()
	f := s.fleet(t, fleettest.Key)
	return f
}

// fleet returns a new Fleet with a key.
func (s *memory) fleet(t *testing.T, key string) *Fleet {
	t.Helper()
	f, err := New(s, Options{Key: []byte(key)})
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func newMemory() *memory { return &memory{all: make(map[string]*store.Contents)} }

// set makes the store hang, or no longer.
func (s *memory) set(down bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = down
}

func (s *memory) Renew(ctx context.Context, id string, batch []store.Renewal) ([]store.Renewed, error) {
	s.calls.Add(1)
	if !pause(ctx, s.delay/2+late(s.late)) {
		return nil, ctx.Err()
	}
	all := make([]store.Renewed, len(batch))
	s.mu.Lock()
	down := s.down
	for i := range batch {
		if !down {
			all[i] = s.renewOne(id, &batch[i])
		}
	}
	s.mu.Unlock()
	if down {
		<-ctx.Done()
	}
	pause(ctx, s.delay/2+late(s.late))
	return all, ctx.Err()
}

func (s *memory) renewOne(id string, b *store.Renewal) store.Renewed {
	s.commands++
	c := s.all[b.Name]
	if c == nil {
		c = store.NewContents(0)
		s.all[b.Name] = c
	}
	return c.Renew(time.Now().UnixMilli(), id, b)
}

func (s *memory) Agree(ctx context.Context, batch []store.Outcome) []error {
	if !pause(ctx, s.delay/2) {
		return slices.Repeat([]error{ctx.Err()}, len(batch))
	}
	errs := make([]error, len(batch))
	s.mu.Lock()
	for i := range batch {
		errs[i] = s.agreeOne(&batch[i])
	}
	s.mu.Unlock()
	if !pause(ctx, s.delay/2) {
		return slices.Repeat([]error{ctx.Err()}, len(batch))
	}
	return errs
}

func (s *memory) Explain(err error) error { return err }

func (s *memory) agreeOne(o *store.Outcome) error {
	s.commands++
	if c := s.all[o.Name]; c != nil {
		return c.Agree(time.Now().UnixMilli(), o)
	}
	return store.ErrTurn
}
