package headway

import (
	"cmp"
	"context"
)

// wait returns once w was granted or refused (see waiter), or else the cause
// of the context's end, after which w is neither queued nor granted.
func (w *waiter) wait(ctx context.Context, p *partition) error {
	ended := false
	select {
	case <-w.decided:
		ended = ctx.Err() != nil
	case <-ctx.Done():
		ended = true // whatever Err says: contexts made by hand may be late to say it
	}
	if ended && p.leave(w) {
		return cmp.Or(context.Cause(ctx), context.Canceled)
	}
	if w.granted {
		p.passOn(w)
	}
	return nil
}
