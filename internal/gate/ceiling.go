package gate

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/pacer"
)

// A Ceiling is the caller's own limit on all requests of a Transport. Requests that their partitions let go take their
// tokens one after the other, in the order in which they come. Only one of them reserves a token at a time: a reservation
// that is cancelled gives back its token only if no later one was made.
type Ceiling struct {
	limiter *rate.Limiter
	clock   *clock.Clock
	turn    chan struct{} // has one element; whoever takes it reserves the next token
	waiting atomic.Int64  // requests that wait for their turn
}

// seesChanges is how long a request that waits may not see a change of the limiter's limit, or a hold: nobody wakes it
// then. More: later. Less: more wake-ups.
const seesChanges = time.Second

// errHeld says that a hold has begun while a request waited for its token.
var errHeld = errors.New("gate: a hold has begun")

// NewCeiling returns a Ceiling that takes its tokens from limiter. It returns nil if limiter is nil. Other code may use the
// limiter at the same time.
func NewCeiling(limiter *rate.Limiter, c *clock.Clock) *Ceiling {
	if limiter == nil {
		return nil
	}
	ceiling := &Ceiling{limiter: limiter, clock: c, turn: make(chan struct{}, 1)}
	ceiling.turn <- struct{}{}
	return ceiling
}

// Take waits for a token, for a request that no partition paces. called is when the call was made. maxWait bounds the wait
// since then; if it is negative, nothing does. begins is called before the request waits. Take returns the wait if it is
// too long. The error is the cause of the end of its context.
func (c *Ceiling) Take(req *http.Request, called pacer.Instant, maxWait time.Duration, begins func(*Wait)) (*Wait, error) {
	ctx := req.Context()
	return c.take(ctx, boundOf(ctx, c.clock, called, maxWait), begins, func() bool { return false })
}

// take is Take for a request of a partition. It returns errHeld, without a token, if a hold begins during the wait.
func (c *Ceiling) take(ctx context.Context, b bound, begins func(*Wait), isHeld func() bool) (*Wait, error) {
	if c.waiting.Load() == 0 && c.limiter.Allow() {
		return nil, nil
	}
	wait := c.wait(c.delay(1))
	if wait.At > b.latest || wait.At == pacer.Never {
		return b.refusal(wait), nil
	}
	if refusal, err := c.awaitTurn(ctx, b, func() { begins(&wait) }); refusal != nil || err != nil {
		return refusal, err
	}
	defer func() { c.turn <- struct{}{} }()
	return c.awaitToken(ctx, b, isHeld)
}

// awaitTurn calls begin and waits until no other request is before this one.
func (c *Ceiling) awaitTurn(ctx context.Context, b bound, begin func()) (*Wait, error) {
	c.waiting.Add(1)
	defer c.waiting.Add(-1)
	begin()
	timer := clock.NewTimer(b.expires().Sub(c.clock.Now()))
	defer timer.Stop()
	isTurn, err := pause(ctx, c.turn, timer.C)
	if !isTurn && err == nil {
		return b.refusal(c.wait(c.delay(1))), nil
	}
	return nil, err
}

// awaitToken reserves a token and waits for it. It reserves again when the limiter's limit has changed.
func (c *Ceiling) awaitToken(ctx context.Context, b bound, isHeld func() bool) (*Wait, error) {
	limit, token, isTaken := c.limiter.Limit(), c.limiter.Reserve(), false
	defer func() {
		if !isTaken {
			token.Cancel()
		}
	}()
	for !isHeld() {
		if changed := c.limiter.Limit(); changed != limit {
			token.Cancel()
			limit, token = changed, c.limiter.Reserve()
		}
		delay := token.Delay()
		if wait := c.wait(delay); wait.At > b.latest || wait.At == pacer.Never {
			return b.refusal(wait), nil
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if isTaken = delay == 0; isTaken {
			return nil, nil
		}
		if _, err := pause(ctx, nil, clock.NewTimer(min(delay, seesChanges)).C); err != nil {
			return nil, err
		}
	}
	return nil, errHeld
}

// delay estimates how long the last of n requests waits for its token behind all that wait for their turn.
func (c *Ceiling) delay(n int64) time.Duration {
	limit, missing := c.limiter.Limit(), float64(c.waiting.Load()+n)-c.limiter.Tokens()
	switch seconds := missing / float64(limit); {
	case missing <= 0:
		return 0
	case limit < rate.Inf && c.limiter.Burst() < 1, seconds >= rate.InfDuration.Seconds():
		return rate.InfDuration
	default:
		return time.Duration(seconds * float64(time.Second))
	}
}

// wait returns the wait of a request whose token comes after that delay.
func (c *Ceiling) wait(delay time.Duration) Wait {
	w := Wait{Plan: pacer.Plan{At: pacer.Never, Cause: CauseCeiling}, Now: c.clock.Now()}
	if delay < rate.InfDuration {
		w.At = w.Now.Add(delay)
	}
	return w
}
