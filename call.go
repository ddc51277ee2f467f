package headway

import (
	"context"
	"encoding/base64"
	"io"
	"net/http"
	"time"

	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/pacer"
	"github.com/headway-go/headway/validate"
)

// A call is one call of RoundTrip, unless another Transport above has paced it.
type call struct {
	*Transport
	req    *http.Request // the caller's, never written to
	key    identity.Key
	called pacer.Instant

	free pacer.Instant // when it was called, or its last response was in: since then it is held
	held time.Duration // before that, in all; counted only for who is told
	told string        // the partition's name, once somebody was told

	options *options   // of its context; nil: none
	cost    pacer.Cost // in the units of its partition
	units   []string   // these; see pacer.Partition.Units

	unsent *http.Request // what is to be sent next, with a Body that this call is to close; nil: Base has it

	partition  *partition    // where admit found room for it
	ticket     pacer.Ticket  // of the request that was sent last
	holdsPlace bool          // a place in the partition is taken, to be given back by this call
	queued     *waiter       // the request's entry in the queue; nil: none
	unread     io.ReadCloser // the Body of a response that is not handed on yet; nil: none
	resends    int           // how often it was sent again
}

// roundTrip takes the request all its way: admitted, sent, learned from, and round
// again if it was throttled and may be resent; or straight to Base if it is not paced.
func (c *call) roundTrip() (*http.Response, error) {
	defer c.leave()
	ctx := c.req.Context()
	switch {
	case !c.paces(c.req, &c.key):
		return c.send()
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	}
	c.options, c.called = optionsOf(ctx), c.clock().Now()
	c.free = c.called
	if c.PartitionKey != nil { // limits have theirs as it came
		c.cost.Key = base64.StdEncoding.EncodeToString(c.PartitionKey(c.req))
	}
	c.price(nil)
	if refused, err := c.admit(); err != nil {
		return nil, err
	} else if refused != nil {
		c.observeRefused(refused)
		return c.refuse(c.req, refused)
	}
	for ; ; c.resends++ {
		c.observeSent()
		resp, err := c.send()
		if err != nil || resp == nil {
			return resp, err
		}
		c.unread = resp.Body
		c.learn(resp)
		c.unread = nil
		if c.queued == nil {
			return resp, nil
		}
		if resp, err = c.resendTurn(resp); resp != nil || err != nil {
			return resp, err
		}
	}
}

// send hands the request, and the duty to close its Body, to Base.
func (c *call) send() (*http.Response, error) {
	req := c.unsent
	c.unsent = nil
	return c.base().RoundTrip(req)
}

// leave gives back what the call has not: it did not send, Base had no response,
// or something that is the caller's panicked.
func (c *call) leave() {
	if c.holdsPlace {
		c.partition.lost(c.clock().Now(), &c.ticket)
	}
	if c.queued != nil {
		c.partition.leave(c.queued)
	}
	if c.unsent != nil {
		closeBody(c.unsent)
	}
	if c.unread != nil {
		_ = c.unread.Close() // there is a panic to report
	}
}

// learn applies the response to the partition. If the request is to be sent
// again it sets c.unsent, and c.queued, its entry in the queue.
func (c *call) learn(resp *http.Response) {
	now, received := c.clock().Read()
	reading := validate.Response(c.answering(resp), received, c.Bounds, c.Profiles...) //nolint:bodyclose // It is the caller's.
	var violated []string
	if reading.Throttled || reading.Unproven {
		violated = readRefusal(c.req, resp, &reading)
		now = c.clock().Now() // it may have taken some time
	}
	var resend *waiter
	if reading.Throttled && c.resends < c.maxRetries() && !c.Shadow {
		if c.unsent = replay(c.req, resp.StatusCode); c.unsent != nil {
			resend = c.waiter(true)
		}
	}
	var limits [usualLimits]pacer.Limit
	answer := pacer.Answer{
		Limits:     pacedLimits(limits[:0], &reading),
		RetryAfter: reading.RetryAfter,
		Refused:    reading.Throttled,
		Overloaded: reading.Throttled && isOverload(resp.StatusCode),
		Violated:   violated,
		Indirect:   reading.Cached || resp.StatusCode >= http.StatusMultipleChoices,
	}
	v, wait := c.partition.answered(now, &c.ticket, &answer, bodyFollows(c.req, resp), resend)
	c.holdsPlace = v.placed
	if v.placed || v.bytes != 0 {
		resp.Body = &watchedBody{ReadCloser: resp.Body, partition: c.partition, verdict: v}
	}
	if v.queued {
		c.queued = resend
	}
	c.free = now
	c.observeAnswer(now, resp, &reading, violated, v)
	if v.queued {
		c.observeWait(now, &wait)
	}
	c.holdsPlace = false // from now on the body gives it back
}

// answering is a response that may refuse, with the request that it answers: a Base may
// leave that out, and profiles go by its host.
func (c *call) answering(resp *http.Response) *http.Response {
	if resp.Request != nil || resp.StatusCode < http.StatusBadRequest {
		return resp
	}
	answer := *resp
	answer.Request = c.req
	return &answer
}

// resendTurn discards the throttled response and waits until the request may be
// sent again. If it may not any more, it returns the response to hand back, or
// the cause of the context's end.
func (c *call) resendTurn(throttled *http.Response) (*http.Response, error) {
	discard(throttled)
	refused, err := c.turn(c.queued)
	if refused != nil {
		c.observeAbandoned()
		return throttled, nil //nolint:nilerr // It was sent, so a response is what it gets.
	}
	return nil, err
}
