package schedule

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/internal/queue"
	"github.com/headway-go/headway/pacer"
)

// A Ceiling is the caller's own limit on all requests of a Transport. Requests of all partitions wait for it in one
// queue. The Ceiling reserves only the next token, so a request of a higher priority can still overtake.
type Ceiling struct {
	limiter *rate.Limiter
	clock   *clock.Clock

	mu      sync.Mutex
	waiting *tokens // nil while nothing waits
}

// tokens is the state of a Ceiling while requests wait.
type tokens struct {
	queue queue.Queue[claim]
	next  *rate.Reservation // of the next token
	at    pacer.Instant     // when the next token comes
	limit rate.Limit        // the limiter's, when the next token was reserved
	timer *time.Timer
}

// seesChanges is how long a change of the limiter's limit may go unseen while requests wait: it wakes nobody. More: later.
// Less: more wake-ups.
const seesChanges = time.Second

// NewCeiling returns a Ceiling that takes its tokens from limiter. It returns nil if limiter is nil. Other code may use
// the limiter at the same time.
func NewCeiling(limiter *rate.Limiter, c *clock.Clock) *Ceiling {
	if limiter == nil {
		return nil
	}
	return &Ceiling{limiter: limiter, clock: c}
}

// Take waits for a token, for a request that no partition paces. called is when the call was made. maxWait bounds the
// wait since then; if it is negative, nothing does. tell is called before the request waits for a token that is expected at
// that time. The error is that of Ended.
func (c *Ceiling) Take(ctx context.Context, cancel <-chan struct{}, called pacer.Instant, maxWait time.Duration, priority int, tell func(at pacer.Instant)) (*Refusal, error) {
	w := newWaiter(called, boundOf(ctx, c.clock, called, maxWait), pacer.Cost{Requests: 1}, priority, false)
	at, how := c.join(w)
	if how == hasToken {
		return nil, nil
	}
	return c.wait(ctx, cancel, w, func() {
		if how == awaitsToken {
			tell(at)
		}
	})
}

// take waits for a token, for a visit whose partition allows it to go. waited is false if a token was there at once.
func (c *Ceiling) take(ctx context.Context, v *Visit) (waited bool, refusal *Refusal, err error) {
	p := v.partition
	w := v.newWaiter(v.bound(ctx), pacer.Cost{Requests: 1})
	at, how := c.join(w)
	if how == hasToken {
		return false, nil, nil
	}
	p.countAtCeiling(1)
	defer p.countAtCeiling(-1)
	refusal, err = c.wait(ctx, CancelOf(v.Price.Request), w, func() {
		if how == awaitsToken {
			v.tell(c.clock.Now(), Delay{Plan: pacer.Plan{At: at}, Resend: v.isResend, Ceiling: true})
		}
	})
	return true, refusal, err
}

// countAtCeiling adds n to the number of requests that wait for the Ceiling.
func (p *Partition) countAtCeiling(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dispatcher.note().atCeiling += n
}

// wait calls tell, then waits until w has its token or is refused. w leaves the queue even if tell or the context panics.
func (c *Ceiling) wait(ctx context.Context, cancel <-chan struct{}, w *waiter, tell func()) (*Refusal, error) {
	isOver := false
	defer func() {
		if !isOver {
			c.leave(w)
		}
	}()
	tell()
	err := decision(ctx, cancel, w)
	isOver = true
	if err != nil && c.leave(w) {
		return nil, err
	}
	if w.Value.refusal != nil {
		w.Value.refusal.Ceiling = true
	}
	return w.Value.refusal, nil
}

// A joining is what came of joining the queue of a Ceiling.
type joining uint8

const (
	hasToken      joining = iota // the request has a token: one was there, and nobody waited
	awaitsToken                  // it waits for a token
	settledAtOnce                // it was refused, or got a token that was due
)

// join takes a token for w or queues w. at is when its token is expected.
func (c *Ceiling) join(w *waiter) (at pacer.Instant, how joining) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.clock.Now()
	if c.waiting == nil {
		next := c.limiter.Reserve()
		if next.Delay() == 0 {
			return now, hasToken
		}
		c.waiting = &tokens{queue: queue.Make(func(*waiter) queue.Set { return queue.Everything })}
		c.reserved(now, next)
	}
	c.renew(now)
	at = c.after(c.waiting.queue.Ahead(w))
	if isTooLate(w, at) {
		refuse(w, now, &pacer.Plan{At: at})
	} else {
		c.waiting.queue.Push(w, true)
	}
	c.settle(now)
	if w.IsQueued() {
		return at, awaitsToken
	}
	return at, settledAtOnce
}

// isTooLate reports whether w may not wait for a token that comes at that time.
func isTooLate(w *waiter, at pacer.Instant) bool {
	return at > w.Value.bound.latest || at == pacer.Never
}

// after is when the token after so many others comes. It is Never if the limiter makes no more tokens.
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

// reserved notes the reservation of the next token.
func (c *Ceiling) reserved(now pacer.Instant, next *rate.Reservation) {
	t := c.waiting
	t.next, t.at, t.limit = next, pacer.Never, c.limiter.Limit()
	if delay := next.Delay(); delay < rate.InfDuration {
		t.at = now.Add(delay)
	}
}

// renew reserves the next token anew if the limit has changed: the reserved one may come too early or too late. A token
// that is due is handed out first, as it cannot be returned.
func (c *Ceiling) renew(now pacer.Instant) {
	if t := c.waiting; t.next != nil && t.at > now && t.limit != c.limiter.Limit() {
		t.next.Cancel()
		c.reserved(now, c.limiter.Reserve())
	}
}

// settle hands out the tokens that are due, refuses the waiters whose time is up, and sets the timer for the rest.
func (c *Ceiling) settle(now pacer.Instant) {
	c.renew(now)
	for t := c.waiting; !t.queue.IsEmpty(); {
		late, expiry := t.queue.Expired(int64(now))
		switch {
		case t.at <= now: // first, as a waiter that expires at this instant is not too late
			c.give(now)
		case late != nil:
			t.queue.Remove(late)
			refuse(late, now, &pacer.Plan{At: t.at})
		case t.refuseFirst(now):
		default:
			t.setAlarm(min(t.at.Sub(now), pacer.Instant(expiry).Sub(now), seesChanges), c.wake)
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

// give hands the token that is due to the first waiter, and reserves the next token if anyone still waits.
func (c *Ceiling) give(now pacer.Instant) {
	t := c.waiting
	if !t.hand(now) {
		return // close returns the token to the limiter
	}
	if t.next = nil; !t.queue.IsEmpty() {
		c.reserved(now, c.limiter.Reserve())
	}
}

// hand gives a token to the first waiter that may still start now. It reports false if there is none.
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

// putBack passes an unused token to the first waiter. If no request waits, the token is lost.
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

// close returns the reserved token to the limiter. Nobody waits any more.
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

// wake is called by the timer.
func (c *Ceiling) wake() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting != nil {
		c.settle(c.clock.Now())
	}
}

// leave removes w, whose request has ended. It reports false if w was refused at the same instant.
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
