package fleet

import (
	"context"
	"slices"

	"github.com/headway-go/headway/fleet/internal/store"
)

// A patient store returns when ctx ends, even if its calls do not: a disk may hang, and clients have timeouts of their own.
// The next call waits until the one before has returned. So at most one goroutine waits for a store that hangs.
type patient struct {
	store.Store
	busy chan struct{} // a semaphore
}

func newPatient(s store.Store) *patient { return &patient{s, make(chan struct{}, 1)} }

func (p *patient) Renew(ctx context.Context, id string, batch []store.Renewal) (all []store.Renewed, err error) {
	type result struct {
		all []store.Renewed
		err error
	}
	r, err := await(ctx, p.busy, func() (r result) {
		r.all, r.err = p.Store.Renew(ctx, id, batch)
		return r
	})
	if err != nil {
		return nil, err
	}
	return r.all, r.err
}

func (p *patient) Agree(ctx context.Context, batch []store.Outcome) []error {
	errs, err := await(ctx, p.busy, func() []error { return p.Store.Agree(ctx, batch) })
	if err != nil {
		return slices.Repeat([]error{err}, len(batch))
	}
	return errs
}

func await[T any](ctx context.Context, busy chan struct{}, call func() T) (result T, err error) {
	select {
	case busy <- struct{}{}:
	case <-ctx.Done():
		return result, ctx.Err()
	}
	done := make(chan T, 1)
	go func() {
		result := call()
		<-busy
		done <- result
	}()
	select {
	case result = <-done:
		return result, nil
	case <-ctx.Done():
		return result, ctx.Err()
	}
}
