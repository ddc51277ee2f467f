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
	waiting *waiting // nil while nothing waits; the rest is meaningful only then

	next  *rate.Reservation // of the next token; nil: none
	at    pacer.Instant     // when the next token comes; Never: the limiter makes no more
	limit rate.Limit        // the limiter's, when the next token was reserved
	spare int               // tokens that came and were not used
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
// wait since then; if it is negative, nothing does. begin is called before the request waits for a token that is expected at
// that time. The error is that of Ended.
func (c *Ceiling) Take(ctx context.Context, cancel <-chan struct{}, called pacer.Instant, maxWait time.Duration, priority int, begin func(at pacer.Instant)) (*Refusal, error) {
	v := Visit{Called: called, Priority: priority}
	w := v.newWaiter(boundOf(ctx, c.clock, called, maxWait), pacer.Cost{Requests: 1})
	at, waits := c.join(w)
	if waits {
		isOver := false
		defer func() {
			if !isOver { // begin or the context has panicked
				c.leave(w)
			}
		}()
		begin(at)
		err := decision(ctx, cancel, w)
		isOver = true
		if err != nil && c.leave(w) {
			return nil, err
		}
	}
	return w.Value.refusal, nil
}

// join queues w if it has to wait for a token, which is expected at that time. Otherwise w has its token or is refused.
func (c *Ceiling) join(w *waiter) (at pacer.Instant, waits bool) {
	w.Value.bound.ceiling = true
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.clock.Now()
	if c.waiting == nil {
		if c.reserve(now); c.at == now {
			return now, false
		}
		c.waiting = &waiting{source: c, queue: queue.Make(func(*waiter) queue.Set { return queue.Everything })}
	}
	plan := c.plan(now, c.waiting.queue.Ahead(w), w)
	if w.Value.bound.excludes(&plan) {
		refuse(w, now, &plan)
	} else {
		w.Value.cause = CauseCeiling
		c.waiting.queue.Push(w, true)
	}
	c.settle(now)
	return plan.At, w.IsQueued()
}

// leave gives back the place of w, whose request has ended, or its token. It reports false if w was refused at the same
// instant. A token that no other request waits for is lost.
func (c *Ceiling) leave(w *waiter) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case w.IsQueued():
		c.waiting.queue.Remove(w)
	case w.Value.refusal != nil:
		return false
	default:
		c.spare++
	}
	c.settle(c.clock.Now())
	return true
}

// plan implements source. The number of tokens decides, as each request takes one.
func (c *Ceiling) plan(now pacer.Instant, ahead int64, _ *waiter) pacer.Plan {
	if c.spare > 0 {
		return ceilingPlan(now)
	}
	isStale := c.at > now && c.limit != c.limiter.Limit() // a token that is due is handed out, as it cannot be returned
	if c.next != nil && isStale {
		c.next.Cancel()
	}
	if c.next == nil || isStale {
		c.reserve(now)
	}
	at := max(c.at, now)
	if ahead > 0 && at < pacer.Never {
		at = later(at, float64(ahead)/float64(c.limiter.Limit()))
	}
	return ceilingPlan(at)
}

// ceilingPlan is the plan of a request whose token comes at a time.
func ceilingPlan(at pacer.Instant) pacer.Plan {
	return pacer.Plan{At: at, Cause: CauseCeiling, Age: pacer.Unknown, Known: true}
}

// later is so many seconds after at; Never if that is beyond all Instants.
func later(at pacer.Instant, seconds float64) pacer.Instant {
	if seconds >= pacer.Never.Sub(at).Seconds() {
		return pacer.Never
	}
	return at.Add(time.Duration(seconds * float64(time.Second)))
}

// reserve reserves the next token.
func (c *Ceiling) reserve(now pacer.Instant) {
	c.next, c.at, c.limit = c.limiter.Reserve(), pacer.Never, c.limiter.Limit()
	if delay := c.next.Delay(); delay < rate.InfDuration {
		c.at = now.Add(delay)
	}
}

// grant implements source: the token that is due is used.
func (c *Ceiling) grant(pacer.Instant, *waiter) {
	if c.spare > 0 {
		c.spare--
		return
	}
	c.next = nil
}

// settle updates the queue after an event. Once nobody waits it returns the reserved token to the limiter.
func (c *Ceiling) settle(now pacer.Instant) {
	switch {
	case c.waiting == nil:
		c.spare = 0
	case c.waiting.settle(now):
		if c.next != nil {
			c.next.Cancel()
		}
		c.waiting, c.next, c.spare = nil, nil, 0
	default:
		c.waiting.setAlarm(now, min(c.waiting.alarm, now.Add(seesChanges)))
	}
}

// wake is called by the timer.
func (c *Ceiling) wake() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.settle(c.clock.Now())
}
