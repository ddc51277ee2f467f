package schedule

import (
	"cmp"
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/internal/queue"
	"github.com/headway-go/headway/pacer"
)

// A Ceiling is the caller's own limit over everything that is sent. Requests that wait for it go in the order of
// package queue, whatever partition they are of: only the next token is reserved, and whoever is first when it comes
// gets it.
type Ceiling struct {
	limiter *rate.Limiter
	clock   *clock.Clock

	mu      sync.Mutex
	waiting *tokens // nil while nothing waits
}

// tokens is what a Ceiling needs while requests wait.
type tokens struct {
	queue queue.Queue[claim]
	next  *rate.Reservation // of the next token
	at    pacer.Instant     // when it comes
	limit rate.Limit        // of the limiter when it was reserved
	timer *time.Timer
}

// NewCeiling returns the Ceiling over a limiter; nil if that is nil. The limiter may be shared with others.
func NewCeiling(limiter *rate.Limiter, c *clock.Clock) *Ceiling {
	if limiter == nil {
		return nil
	}
	return &Ceiling{limiter: limiter, clock: c}
}

// Take waits for a token, for a request that no partition paces. called is when the call was made, and maxWait how long
// it may take at most; negative is not bounded. Errors: the cause of the context's end.
func (c *Ceiling) Take(ctx context.Context, called pacer.Instant, maxWait time.Duration, priority int) (*Refusal, error) {
	w := newWaiter(called, boundOf(ctx, c.clock, called, maxWait), pacer.Cost{Requests: 1}, priority, false)
	if _, step := c.join(w); step == isSent {
		return nil, nil
	}
	return c.wait(ctx, w, func() {})
}

// take waits for a token for a visit that its partition let go. waited is false if there was one at once.
func (c *Ceiling) take(ctx context.Context, v *Visit) (waited bool, refusal *Refusal, err error) {
	p := v.partition
	w := v.newWaiter(v.bound(ctx), pacer.Cost{Requests: 1})
	at, step := c.join(w)
	if step == isSent {
		return false, nil, nil
	}
	p.countAtCeiling(1)
	defer p.countAtCeiling(-1)
	refusal, err = c.wait(ctx, w, func() {
		if step == isQueued {
			v.tell(c.clock.Now(), Delay{Plan: pacer.Plan{At: at}, Resend: v.isResend, Ceiling: true})
		}
	})
	return true, refusal, err
}

// countAtCeiling notes that so many requests more wait for the Ceiling.
func (p *Partition) countAtCeiling(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dispatcher.note().atCeiling += n
}

// wait waits until w has its token or is refused. It calls tell first. If that panics, or the context does, w leaves.
func (c *Ceiling) wait(ctx context.Context, w *waiter, tell func()) (*Refusal, error) {
	isOver := false
	defer func() {
		if !isOver {
			c.leave(w)
		}
	}()
	tell()
	ended := decision(ctx, w)
	isOver = true
	if ended && c.leave(w) {
		return nil, cmp.Or(context.Cause(ctx), context.Canceled)
	}
	return w.Value.refusal, nil
}

// join takes a token if there is one at once and nobody waits: the step isSent. Otherwise it queues w, isQueued, or
// refuses it or lets it go after all, isEarly; and tells when its token is expected.
func (c *Ceiling) join(w *waiter) (at pacer.Instant, s step) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.clock.Now()
	if c.waiting == nil {
		next := c.limiter.Reserve()
		if next.Delay() == 0 {
			return now, isSent
		}
		c.waiting = &tokens{queue: queue.Make(func(*waiter) queue.Set { return queue.Everything })}
		c.reserved(now, next)
	} else if c.waiting.limit != c.limiter.Limit() { // nobody is to wait behind a token of a limit that is over
		c.waiting.next.Cancel()
		c.reserved(now, c.limiter.Reserve())
	}
	at = c.after(c.waiting.queue.Ahead(w))
	if isTooLate(w, at) {
		refuse(w, now, &pacer.Plan{At: at})
	} else {
		c.waiting.queue.Push(w, true)
	}
	c.settle(now)
	if w.IsQueued() {
		return at, isQueued
	}
	return at, isEarly
}

// isTooLate reports whether a token that comes at that time is of no use to w.
func isTooLate(w *waiter, at pacer.Instant) bool {
	return at > w.Value.bound.latest || at == pacer.Never
}

// after is when the token comes that so many others go before; Never: there will be none.
func (c *Ceiling) after(ahead int64) pacer.Instant {
	at := c.waiting.at
	if ahead == 0 || at == pacer.Never {
		return at
	}
	seconds := float64(ahead) / float64(c.limiter.Limit())
	if seconds >= pacer.Never.Sub(at).Seconds() {
		return pacer.Never
	}
	return at.Add(time.Duration(seconds * float64(time.Second)))
}

// reserved takes over the reservation of the next token.
func (c *Ceiling) reserved(now pacer.Instant, next *rate.Reservation) {
	t := c.waiting
	t.next, t.at, t.limit = next, pacer.Never, c.limiter.Limit()
	if delay := next.Delay(); delay < rate.InfDuration {
		t.at = now.Add(delay)
	}
}

// settle gives out the tokens that have come, refuses who waits too long, and sets the timer for the rest.
func (c *Ceiling) settle(now pacer.Instant) {
	for t := c.waiting; !t.queue.IsEmpty(); {
		late, expiry := t.queue.Expired(int64(now))
		switch {
		case t.at <= now: // first, for one that expires in this instant is not too late
			c.give(now)
		case late != nil:
			t.queue.Remove(late)
			refuse(late, now, &pacer.Plan{At: t.at})
		case t.refuseFirst(now):
		default:
			t.setAlarm(min(t.at, pacer.Instant(expiry)).Sub(now), c.wake)
			return
		}
	}
	c.close()
}

// refuseFirst refuses the first in the queue if the next token comes too late for it.
func (t *tokens) refuseFirst(now pacer.Instant) (isRefused bool) {
	t.queue.Next(func(w *waiter) (queue.Set, bool) {
		if isRefused = isTooLate(w, t.at); isRefused {
			t.queue.Remove(w)
			refuse(w, now, &pacer.Plan{At: t.at})
		}
		return 0, true
	})
	return isRefused
}

// give gives the token that has come to the first in the queue, and reserves the next one if anybody is left.
func (c *Ceiling) give(now pacer.Instant) {
	t := c.waiting
	if !t.hand(now) {
		return // close gives it back
	}
	if t.next = nil; !t.queue.IsEmpty() {
		c.reserved(now, c.limiter.Reserve())
	}
}

// hand gives a token to the first in the queue for whom it does not come too late. It reports false if there is none.
func (t *tokens) hand(now pacer.Instant) (isGiven bool) {
	for !isGiven && !t.queue.IsEmpty() {
		t.queue.Next(func(w *waiter) (queue.Set, bool) {
			if isTooLate(w, now) {
				t.queue.Remove(w)
				refuse(w, now, &pacer.Plan{At: now})
				return 0, true
			}
			t.queue.Grant(w)
			isGiven = true
			close(w.Value.decided)
			return 0, true
		})
	}
	return isGiven
}

// putBack takes back a token that has come and is not used: the first who waits gets it. If nobody does it is lost.
func (c *Ceiling) putBack() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.passOn()
}

func (c *Ceiling) passOn() {
	if c.waiting != nil {
		now := c.clock.Now()
		c.waiting.hand(now)
		c.settle(now)
	}
}

func (t *tokens) setAlarm(d time.Duration, wake func()) {
	if t.timer == nil {
		t.timer = clock.After(d, wake)
		return
	}
	t.timer.Reset(d)
}

// close gives back what is reserved, once nobody waits.
func (c *Ceiling) close() {
	t := c.waiting
	if t.next != nil {
		t.next.Cancel()
	}
	if t.timer != nil {
		t.timer.Stop()
	}
	c.waiting = nil
}

// wake is what the timer calls.
func (c *Ceiling) wake() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting != nil {
		c.settle(c.clock.Now())
	}
}

// leave takes back w, whose context has ended. It reports false if w was refused in the same instant.
func (c *Ceiling) leave(w *waiter) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case w.IsQueued():
		c.waiting.queue.Remove(w)
		c.settle(c.clock.Now())
		return true
	case w.Value.refusal == nil:
		c.passOn()
		return true
	}
	return false
}
