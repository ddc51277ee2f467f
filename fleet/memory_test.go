package fleet

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"
)

// memory is a store in this process, for virtual time. It does what renew.lua and agree.lua do, without
// bounds and without handling of clocks that are set back.
type memory struct {
	delay time.Duration // of each call, half before it and half after it

	mu       sync.Mutex
	all      map[string]*contents
	due      map[string]int64
	commands int
	down     bool
}

func newMemory() *memory {
	return &memory{all: make(map[string]*contents), due: make(map[string]int64)}
}

// pause makes the store hang for d.
func (s *memory) pause(d time.Duration) {
	s.set(true)
	time.Sleep(d)
	s.set(false)
}

func (s *memory) set(down bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = down
}

// forget deletes everything in the store.
func (s *memory) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.all)
	clear(s.due)
}

func (s *memory) renew(ctx context.Context, id string, batch []renewal) ([]renewed, error) {
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
	c := s.all[b.name]
	if c == nil {
		c = &contents{born: now, records: make(map[string]stamped), agreements: make(map[string]string)}
		s.all[b.name] = c
	}
	now = max(now, c.written+1)
	c.records[id] = stamped{now, b.record}
	r := renewed{now: now, agreement: c.agreements[id]}
	if now < s.due[b.name] {
		return r
	}
	s.due[b.name] = now + turnFor.Milliseconds()
	r.all = &contents{
		claim: strconv.FormatInt(s.due[b.name], 10), born: c.born, written: c.written, ledger: c.ledger,
		records: maps.Clone(c.records), agreements: maps.Clone(c.agreements),
	}
	return r
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
	c := s.all[o.name]
	if c == nil || strconv.FormatInt(s.due[o.name], 10) != o.claim {
		return errTurn
	}
	c.written, c.ledger = time.Now().UnixMilli(), o.ledger
	s.due[o.name] = c.written + o.next.Milliseconds()
	for _, id := range o.gone {
		delete(c.records, id)
		delete(c.agreements, id)
	}
	maps.Copy(c.agreements, o.agreements)
	return nil
}
