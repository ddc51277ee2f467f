package gate

import (
	"context"
	"net/http"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
)

// newPartition returns a partition without jitter that knows no limit.
func newPartition(config pacer.Config) *Partition {
	return New(&Settings{Clock: clock.New(), Pacer: config}, identity.Key{})
}

// newPaced returns a partition with a limit of 60 per minute, whose burst tolerance is used up. It sends about one request
// per second.
func newPaced(t *testing.T) *Partition {
	t.Helper()
	p := newPartition(pacer.Config{Burst: -1, Jitter: -1})
	sendOne(t, p, &pacer.Answer{RetryAfter: pacer.Unknown, Limits: []limits.Reported{{
		Policy: "test", Quota: 60, Remaining: 59, Window: time.Minute, Reset: time.Minute,
	}}})
	for {
		v := newVisitWithin(p, 0)
		refusal, err := p.Enter(t.Context(), v)
		require.NoError(t, err)
		if refusal != nil {
			return p
		}
		answer(v, &pacer.Answer{RetryAfter: pacer.Unknown})
	}
}

// newVisit returns a visit whose call is made now. Its wait is not bounded.
func newVisit(p *Partition) *Visit { return newVisitWithin(p, -1) }

// newVisitWithin returns a visit whose call is made now, with that MaxWait.
func newVisitWithin(p *Partition, maxWait time.Duration) *Visit {
	return &Visit{
		Called: p.settings.Clock.Now(), MaxWait: maxWait, partition: p,
		Price: Pricer{Request: &http.Request{Method: http.MethodGet, URL: &url.URL{Path: "/"}}},
	}
}

// sendOne sends one request that gets the answer.
func sendOne(t *testing.T, p *Partition, a *pacer.Answer) {
	t.Helper()
	v := newVisit(p)
	refusal, err := p.Enter(t.Context(), v)
	require.NoError(t, err)
	require.Nil(t, refusal)
	answer(v, a)
}

// answer gives v a response without a body.
func answer(v *Visit, a *pacer.Answer) *Verdict {
	return v.Answered(context.Background(), v.partition.settings.Clock.Now(), a, Response{})
}

// throttled is a refusal with that Retry-After.
func throttled(retryAfter time.Duration) *pacer.Answer {
	return &pacer.Answer{Refused: true, RetryAfter: retryAfter}
}

// sentNow returns a visit that is sent now, regardless of the plan.
func sentNow(p *Partition) *Visit {
	v := newVisit(p)
	p.sendNow(v)
	return v
}

func (p *Partition) sendNow(v *Visit) {
	v.price(p.units())
	p.pacer.Send(v.Called, &v.cost, &v.ticket)
	v.state = sent
}

// queueOne returns a visit in the queue that may not start after latest. It is not refused at once.
func queueOne(t *testing.T, p *Partition, latest pacer.Instant) *Visit {
	t.Helper()
	v := newVisit(p)
	p.queueNow(t, v, latest)
	return v
}

func (p *Partition) queueNow(t *testing.T, v *Visit, latest pacer.Instant) {
	t.Helper()
	v.price(p.units())
	v.bound.latest = latest
	require.True(t, p.join(v, new(Wait)))
	require.Equal(t, queued, v.state)
	require.False(t, isRefused(v))
}

// An entry is one call of Enter on its own goroutine, and the results.
type entry struct {
	visit   *Visit
	refusal *Wait
	err     error
	at      pacer.Instant
	over    chan struct{} // closed with it
	cancel  context.CancelFunc
}

// stop ends the request and waits until it has left.
func (e *entry) stop() {
	e.cancel()
	<-e.over
}

func (e *entry) isOver() bool {
	select {
	case <-e.over:
		return true
	default:
		return false
	}
}

// enter calls p.Enter(v) and waits until the bubble is idle.
func enter(ctx context.Context, p *Partition, v *Visit) *entry {
	ctx, cancel := context.WithCancel(ctx)
	e := &entry{visit: v, over: make(chan struct{}), cancel: cancel}
	go func() {
		defer close(e.over)
		e.refusal, e.err = p.Enter(ctx, v)
		e.at = p.settings.Clock.Now()
	}()
	synctest.Wait()
	return e
}

// within returns a context that ends after d.
func within(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

// requireFree checks that no visit, waiter or timer is left in p.
func requireFree(t *testing.T, p *Partition) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	require.False(t, p.isNeeded())
}

// isWaiting reports whether the request waits.
func isWaiting(v *Visit) bool {
	v.partition.mu.Lock()
	defer v.partition.mu.Unlock()
	return v.waiter.line != nil
}

// isGranted reports whether the request may go.
func isGranted(v *Visit) bool { return isDecided(v) && v.waiter.refusal == nil }

// requireGrant waits until the request is granted or refused, and requires that it may go.
func requireGrant(t *testing.T, v *Visit) {
	t.Helper()
	<-v.waiter.decided
	require.True(t, isGranted(v))
}

// isRefused reports whether the request was refused after a wait.
func isRefused(v *Visit) bool { return isDecided(v) && v.waiter.refusal != nil }

func isDecided(v *Visit) bool {
	select {
	case <-v.waiter.decided:
		return true
	default:
		return false
	}
}
