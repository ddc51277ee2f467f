package headway

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/internal/replay"
	"github.com/headway-go/headway/internal/schedule"
	"github.com/headway-go/headway/pacer"
	"github.com/headway-go/headway/validate"
)

// RoundTrip implements [http.RoundTripper]. It sends the request as soon as its
// partition's limits allow, and returns the response as it came, whatever its
// status: headers, trailers and body untouched, but for one case.
//
// A throttled request (429; 503 with Retry-After if it is idempotent; 403 with
// a wait or an exhausted limit; what a profile says of its host) is sent again up to MaxRetries times, if it can
// start before its deadline and within MaxWait and if its Body can be had anew
// from GetBody; nothing is buffered. If not, the throttled response is returned.
// It is returned also if it becomes known only later, while the resend waits, that
// it would come too late. Its body has been read by then, as far as it came within
// 250 ms and up to 64 KiB, or less where 4 MiB are kept already for the resends of this
// Transport that wait; if that is not all, it ends in io.ErrUnexpectedEOF.
// Of a throttled response that is a problem in JSON (RFC 9457) the body is read ahead, for 250 ms at
// most, to see which policies were violated, and of one whose body proves a refusal, by
// a profile, to see whether it does; the caller gets every byte.
//
// A 503 that says nothing of when to come back, nor of limits, is handed back. Where such 503s come in numbers
// the partition slows down, as long as that makes them rarer.
//
// Errors: a *LimitError for a request never sent (see Refusal); the context's
// cause if it ended while the request waited, even if it was sent before; ErrLoop;
// Base's own errors, as they came.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	t.once.Do(t.start)
	c := call{transport: t, req: req, unsent: req}
	switch o := optionsOf(req.Context()); {
	case t.core.isLoop:
		closeBody(req)
		return nil, ErrLoop
	case o.isPacedAbove(t):
		return t.handOn(req)
	default:
		return c.roundTrip(o)
	}
}

// A call is one call of RoundTrip that this Transport paces.
type call struct {
	transport *Transport
	req       *http.Request // the caller's, never written to
	key       identity.Key
	visit     schedule.Visit // of the request's partition
	teller    *teller        // nil: nobody listens

	unsent  *http.Request // what is to be sent next, with a Body that this call is to close; nil: Base has it
	unread  io.ReadCloser // the Body of a response that is not handed on yet; nil: none
	kept    replay.Kept   // what is kept of a throttled response while the request waits to be sent again
	resends int           // how often it was sent again
}

// roundTrip takes the request all its way: let go by its partition, sent, learned from, and round again if it was
// throttled and may be sent again; or straight to Base if it is not paced.
func (c *call) roundTrip(o *options) (*http.Response, error) {
	defer c.leave()
	ctx := c.req.Context()
	switch {
	case !c.transport.paces(c.req, &c.key):
		return c.send()
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	}
	c.ask(ctx, o)
	refusal, err := c.enter(ctx)
	if err != nil {
		c.teller.abandoned(c.visit.Partition(), c.resends)
		return nil, err
	}
	if refusal != nil {
		refused := newLimitError(&c.transport.core.settings.Clock, c.visit.Partition(), refusal)
		c.teller.refused(c.visit.Partition(), refused)
		if !c.transport.Shadow {
			return c.transport.Refusal.refuse(c.req, refused)
		}
	}
	for ; ; c.resends++ {
		c.teller.sent(c.visit.Partition(), c.resends)
		resp, err := c.send()
		if err != nil || resp == nil || isRefusal(resp) {
			return resp, err
		}
		c.unread = resp.Body
		c.learn(ctx, resp)
		if !c.visit.IsQueued() {
			c.closeUnsent() // while a panic in it still closes the response
			c.unread = nil
			return resp, nil
		}
		c.unread = nil
		if resp, err = c.again(ctx, resp); resp != nil || err != nil {
			return resp, err
		}
	}
}

// paces sets k, which is empty, to the key of the request's partition. It
// reports false for a request that is not paced.
func (t *Transport) paces(req *http.Request, k *identity.Key) bool {
	switch {
	case req.URL == nil: // Base has the words for it
	case t.Partition != nil:
		k.Host = t.Partition(req)
	default:
		k.SetDefault(req)
	}
	return k.Host != ""
}

// ask says what the request asks of its partition.
func (c *call) ask(ctx context.Context, o *options) {
	t, v := c.transport, &c.visit
	v.Called = t.core.settings.Clock.Now()
	v.Price.Request, v.Price.Func = c.req, t.Cost
	if o != nil {
		v.Priority, v.Price.Said = o.priority, o.costs
	}
	if t.PartitionKey != nil { // limits have their keys as they came, in base64
		v.Price.Key = base64.StdEncoding.EncodeToString(t.PartitionKey(c.req))
	}
	if t.core.tellers.trace != nil {
		c.teller = t.core.tellers.get(ctx, v.Called)
		v.Watcher = c.teller
	}
}

// enter waits until the request may go to the wire.
func (c *call) enter(ctx context.Context) (*schedule.Refusal, error) {
	for {
		p := c.transport.core.partitions.Find(&c.key, c.req)
		refusal, err := p.Enter(ctx, &c.visit)
		if !errors.Is(err, schedule.ErrForgotten) {
			return refusal, err
		}
	}
}

// send hands the request, and the duty to close its Body, to Base.
func (c *call) send() (*http.Response, error) {
	req := c.unsent
	c.unsent = nil
	return c.transport.send(req)
}

// leave gives back what the call still has: it did not send, Base had no response, or something that is the caller's
// panicked.
func (c *call) leave() {
	if c.unread != nil {
		defer c.unread.Close() //nolint:errcheck // whatever else panics is to be reported; in a function of its own it costs 40 ns
	}
	c.visit.Leave()
	c.kept.Free()
	c.transport.core.tellers.put(c.teller)
	c.closeUnsent()
}

// closeUnsent closes the Body of what is not going to be sent.
func (c *call) closeUnsent() {
	if req := c.unsent; req != nil {
		c.unsent = nil
		closeBody(req)
	}
}

// learn applies the response to the partition. If the request is to be sent again it is in the queue from then on, and
// c.unsent is what to send.
func (c *call) learn(ctx context.Context, resp *http.Response) {
	t := c.transport
	reading := t.core.reader.Read(c.answering(resp)) //nolint:bodyclose // It is the caller's.
	isIndirect := reading.Cached || resp.StatusCode >= http.StatusMultipleChoices
	if reading.IsSilent() && c.teller == nil && resp.StatusCode < http.StatusInternalServerError {
		c.visit.Served(isIndirect, replay.BodyFollows(c.req, resp))
	} else {
		c.heed(ctx, resp, reading, isIndirect)
	}
	t.core.reader.Free(reading)
	if c.visit.IsOpen() {
		resp.Body = &watchedBody{ReadCloser: resp.Body, end: c.visit.End()}
		c.unread = resp.Body
	}
}

// heed applies what a response tells.
func (c *call) heed(ctx context.Context, resp *http.Response, reading *validate.Reading, isIndirect bool) {
	t := c.transport
	now := t.core.settings.Clock.Now()
	var violated []string
	if reading.Throttled || reading.Unproven {
		if violated = replay.ReadRefusal(c.req, resp, reading); violated == nil {
			violated = reading.Violated
		}
		now = t.core.settings.Clock.Now() // reading may have taken some time
	}
	if reading.Throttled && c.resends < t.maxRetries() && !t.Shadow {
		c.unsent = replay.Again(c.req, resp.StatusCode)
	}
	answer := pacer.Answer{
		Limits:     reading.Limits,
		RetryAfter: reading.RetryAfter,
		Refused:    reading.Throttled,
		Overloaded: reading.Throttled && replay.IsOverload(resp.StatusCode) && !isPlain503(resp.StatusCode, reading),
		Violated:   violated,
		Indirect:   isIndirect,
	}
	verdict := c.visit.Answered(ctx, now, &answer, schedule.Response{
		BodyFollows: replay.BodyFollows(c.req, resp), Resend: c.unsent != nil,
		Failed:   resp.StatusCode >= http.StatusInternalServerError,
		Plain503: !reading.Throttled && isPlain503(resp.StatusCode, reading),
	})
	c.teller.answered(c.visit.Partition(), now, resp.StatusCode, reading, violated, verdict)
}

// isPlain503 reports whether a response says that its server is unavailable, and nothing besides: as an outage does, and
// nginx's limits unless told otherwise, be they on requests in flight or on their rate.
func isPlain503(status int, reading *validate.Reading) bool {
	return status == http.StatusServiceUnavailable && reading.RetryAfter == validate.Unknown &&
		len(reading.Limits) == 0 && len(reading.Problems) == 0 && !reading.Unproven && !reading.Cached
}

// answering is a response that may refuse, with the request that it answers: a Base may leave that out, and profiles go
// by its host.
func (c *call) answering(resp *http.Response) *http.Response {
	if resp.Request != nil || resp.StatusCode < http.StatusBadRequest {
		return resp
	}
	answer := *resp
	answer.Request = c.req
	return &answer
}

// again discards the throttled response and waits until the request may be sent again. If it turns out that it may not,
// again returns the response to hand back, or the cause of the context's end.
func (c *call) again(ctx context.Context, throttled *http.Response) (*http.Response, error) {
	body, isWatched := throttled.Body.(*watchedBody)
	c.kept = c.transport.core.bodies.Discard(ctx, throttled, c.visit.MayBeRefused())
	if isWatched {
		body.once.Do(body.done) // its Close may take for ever, and this request may wait for that very place
	}
	refusal, err := c.visit.Again(ctx)
	switch {
	case err != nil:
		c.teller.abandoned(c.visit.Partition(), c.resends)
		return nil, err
	case refusal != nil:
		c.teller.abandoned(c.visit.Partition(), c.resends)
		return throttled, nil
	}
	c.kept.Free()
	return nil, nil
}

// A watchedBody is the body of a response whose end matters: the request takes a place in a limit on requests in
// flight, or its bytes count. The end is when the body has been read, has failed, or is closed, whichever comes
// first.
type watchedBody struct {
	io.ReadCloser
	end    schedule.End
	length atomic.Int64 // as far as it was read
	once   sync.Once
}

func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.length.Add(int64(max(n, 0)))
	if err != nil {
		b.once.Do(b.done)
	}
	return n, err
}

func (b *watchedBody) Close() error {
	defer b.once.Do(b.done)
	return b.ReadCloser.Close()
}

func (b *watchedBody) done() { b.end.Done(b.length.Load()) }
