package fleet

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// memory is a store in this process, for virtual time.
type memory struct {
	delay time.Duration // of each call, half before it and half after it
	calls atomic.Int64  // of renew

	mu       sync.Mutex
	all      map[string]*contents
	commands int
	down     bool
}

func newMemory() *memory { return &memory{all: make(map[string]*contents)} }

// set makes the store hang, or no longer.
func (s *memory) set(down bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = down
}

func (s *memory) renew(ctx context.Context, id string, batch []renewal) ([]renewed, error) {
	s.calls.Add(1)
	if !pause(ctx, s.delay/2) {
		return nil, ctx.Err()
	}
	all := make([]renewed, len(batch))
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
	pause(ctx, s.delay/2)
	return all, ctx.Err()
}

func (s *memory) renewOne(id string, b *renewal) renewed {
	s.commands++
	c := s.all[b.name]
	if c == nil {
		c = newContents(0)
		s.all[b.name] = c
	}
	return c.renew(time.Now().UnixMilli(), id, b)
}

func (s *memory) agree(ctx context.Context, batch []outcome) []error {
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

func (s *memory) agreeOne(o *outcome) error {
	s.commands++
	if c := s.all[o.name]; c != nil {
		return c.agree(time.Now().UnixMilli(), o)
	}
	return errTurn
}
