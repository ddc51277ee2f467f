package fleet

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// memory is a store in this process, for virtual time. It does what renew.lua and agree.lua do, without
// bounds and without handling of clocks that are set back.
type memory struct {
	delay time.Duration // of each call, half before it and half after it
	calls atomic.Int64  // of renew

	mu       sync.Mutex
	all      map[string]*kept
	commands int
	down     bool
}

// A kept is a partition in a memory.
type kept struct {
	contents
	due   int64 // when the next turn begins
	until time.Time
}

func newMemory() *memory { return &memory{all: make(map[string]*kept)} }

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
	now := time.Now().UnixMilli()
	k := s.get(b.name)
	if k == nil {
		k = &kept{contents: contents{born: now, records: make(map[string]stamped), agreements: make(map[string]string)}}
		s.all[b.name] = k
	}
	k.until = time.Now().Add(b.keep)
	now = max(now, k.written+1)
	k.records[id] = stamped{now, b.record}
	r := renewed{now: now, agreement: k.agreements[id]}
	if now < k.due {
		return r
	}
	k.due = now + turnFor.Milliseconds()
	r.all = &contents{
		claim: strconv.FormatInt(k.due, 10), born: k.born, written: k.written, ledger: k.ledger,
		records: maps.Clone(k.records), agreements: maps.Clone(k.agreements),
	}
	return r
}

// get returns a partition; nil if there is none, or no longer.
func (s *memory) get(name string) *kept {
	k := s.all[name]
	if k == nil || time.Now().After(k.until) {
		return nil
	}
	return k
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
	k := s.get(o.name)
	if k == nil || strconv.FormatInt(k.due, 10) != o.claim {
		return errTurn
	}
	k.written, k.ledger = time.Now().UnixMilli(), o.ledger
	k.due = k.written + o.next.Milliseconds()
	for _, id := range o.gone {
		delete(k.records, id)
		delete(k.agreements, id)
	}
	maps.Copy(k.agreements, o.agreements)
	return nil
}
