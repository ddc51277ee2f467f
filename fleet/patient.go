package fleet

import (
	"context"
	"slices"
)

// A patient store returns when ctx ends, even if its calls do not: a disk may hang, and clients have timeouts of their own.
// The next call waits until the one before has returned. So at most one goroutine waits for a store that hangs.
type patient struct {
	store
	busy chan struct{} // a semaphore
}

func newPatient(s store) *patient { return &patient{s, make(chan struct{}, 1)} }

func (p *patient) renew(ctx context.Context, id string, batch []renewal) (all []renewed, err error) {
	type result struct {
		all []renewed
		err error
	}
	r, err := await(ctx, p.busy, func() (r result) {
		r.all, r.err = p.store.renew(ctx, id, batch)
		return r
	})
	if err != nil {
		return nil, err
	}
	return r.all, r.err
}

func (p *patient) agree(ctx context.Context, batch []outcome) []error {
	errs, err := await(ctx, p.busy, func() []error { return p.store.agree(ctx, batch) })
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
