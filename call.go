package headway

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"

	"github.com/headway-go/headway/internal/body"
	"github.com/headway-go/headway/internal/gate"
	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/internal/replay"
	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
	"github.com/headway-go/headway/validate"
)

// RoundTrip implements [http.RoundTripper]. It sends the request as soon as the limits of its partition allow, and returns
// the response untouched, whatever its status, with one exception below.
//
// # Resends
//
// A request is throttled by a 429, a 503 with Retry-After, a 403 with a wait or an exhausted limit, and by what
// [validate.Reading] has besides. That includes what a profile says about the host, and what Limits says of the response. A
// 503 without Retry-After may come from an outage, so it slows nothing down.
//
// RoundTrip sends a throttled request again, up to MaxRetries times, if it can start before its deadline and within
// MaxWait, and if GetBody can make its Body again. After a status of 500 or more the request must also be idempotent.
// Otherwise RoundTrip returns the throttled response.
//
// The exception: a request may wait to be resent, and only then turn out to be too late. RoundTrip returns the throttled
// response then, whose body it has already read. The body has what arrived within 250 ms, up to 64 KiB; nothing if this
// Transport keeps 4 MiB for other resends that wait. A body that was longer ends in io.ErrUnexpectedEOF.
//
// The body of a refusal may say more, so RoundTrip waits up to 250 ms for a body that is JSON, or that a profile knows: how
// long to wait, which policies are violated, or that waiting does not help, as the account has no money left. Such a
// request is not sent again and holds no other one; see docs/refusals.md. The caller gets every byte.
//
// # Trailers
//
// If a response announces a trailer section in its field Trailer, and the caller reads the body to its end, the limits in
// that section count as those in a header, from its receipt on. Nothing else in it counts, not even Retry-After (RFC 9110
// §6.5.1), so the response is not a refusal.
//
// # Errors
//
// RoundTrip returns a *LimitError for a request that was never sent, unless Refusal asks for a response. If the context
// ends while the request waits, it returns the cause, even if the request was sent before. It returns ErrLoop if the
// Transport is its own Base. Errors of Base are returned unchanged.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	t.once.Do(t.start)
	c := call{transport: t, req: req, unsent: req}
	switch o := optionsOf(req.Context()); {
	case t.core.below == t:
		closeBody(req)
		return nil, ErrLoop
	case o.passer == t:
		return t.passOn(req)
	default:
		return c.roundTrip(&o)
	}
}

// A call is one call of RoundTrip.
type call struct {
	transport *Transport
	req       *http.Request // the caller's, never written to
	key       identity.Key
	visit     gate.Visit // in the request's partition
	reporter  *reporter  // nil: no Trace and no Logger

	unsent  *http.Request // the request to send next, whose Body this call must close; nil: Base has it
	unread  io.ReadCloser // the Body of a response that the caller does not have yet; nil: none
	resends int           // how often the request was resent
}

// roundTrip waits for the request's turn and sends it. A request that is not paced goes straight to Base.
func (c *call) roundTrip(o *options) (*http.Response, error) {
	defer c.leave()
	if !c.transport.paces(c.req, &c.key) {
		return c.send()
	}
	ctx := c.req.Context()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	c.prepare(ctx, o)
	refused, err := c.enter(ctx)
	switch {
	case err != nil:
		c.reporter.left(&c.visit, c.resends, false)
		return nil, err
	case refused != nil && !c.transport.Shadow:
		return c.transport.Refusal.refuse(c.req, refused)
	}
	return c.sendUntilServed(ctx)
}

// sendUntilServed sends the request and learns from the response. It starts over while the request is throttled and may be
// resent.
func (c *call) sendUntilServed(ctx context.Context) (*http.Response, error) {
	for ; ; c.resends++ {
		c.reporter.left(&c.visit, c.resends, true)
		resp, err := c.send()
		if _, isRefusal := Refused(resp); err != nil || resp == nil || isRefusal {
			return resp, err // a refusal is of a Transport below: no server sent it
		}
		c.unread = resp.Body
		c.learn(ctx, resp)
		if !c.visit.IsQueued() {
			c.closeUnsent() // before unread is cleared: if this panics, leave closes the response
			c.unread = nil
			return resp, nil
		}
		c.unread = nil
		if resp, err = c.again(ctx, resp); resp != nil || err != nil {
			return resp, err
		}
	}
}

// paces sets the empty k to the key of the request's partition. It reports false if the request is not paced.
func (t *Transport) paces(req *http.Request, k *identity.Key) bool {
	switch {
	case req.URL == nil: // Base returns the error
	case t.Partition != nil:
		k.Host = t.Partition(req)
	default:
		*k = identity.Spelled(req)
	}
	return k.Host != ""
}

// prepare prepares the visit to the partition: time, cost, priority and hooks.
func (c *call) prepare(ctx context.Context, o *options) {
	t, v := c.transport, &c.visit
	v.Called = t.core.settings.Clock.Now()
	v.MaxWait = cmp.Or(o.maxWait, t.maxWait())
	v.Priority, v.Price = o.priority, gate.Pricer{Request: c.req, Context: o.costs, Func: t.Cost}
	if c.reporter = t.core.reporters.of(ctx, v.Called); c.reporter != nil {
		v.Watcher = c.reporter
	}
}

// enter waits until the request may be sent. It returns the error of a request that would wait too long.
func (c *call) enter(ctx context.Context) (*LimitError, error) {
	for {
		p := c.transport.core.partitions.Find(c.key, c.req)
		refusal, err := p.Enter(ctx, &c.visit)
		switch {
		case err != nil && errors.Is(err, gate.ErrForgotten):
			continue
		case err != nil || refusal == nil:
			return nil, err
		}
		refused := newLimitError(ctx, &c.transport.core.settings.Clock, p, refusal, c.visit.Called, c.visit.MaxWait)
		if c.visit.Cause == "" {
			refused.Waited = 0
		}
		c.reporter.refused(refused)
		return refused, nil
	}
}

// send passes the request to Base, which then must close its Body. The response to a resend refers to the caller's request.
// So does a refusal that refers to none, as profiles need its host.
func (c *call) send() (*http.Response, error) {
	req := c.unsent
	c.unsent = nil
	resp, err := c.transport.send(req)
	if resp != nil && (resp.Request == req || resp.Request == nil && resp.StatusCode >= http.StatusBadRequest) {
		resp.Request = c.req
	}
	return resp, err
}

// leave releases what the call still has, after any outcome and after a panic in foreign code.
func (c *call) leave() {
	if c.unread != nil {
		defer c.unread.Close() //nolint:errcheck // deferred, so that it runs also if Leave panics; a function of its own costs 40 ns
	}
	c.visit.Leave()
	c.reporter.leave()
	c.closeUnsent()
}

// closeUnsent closes the Body of a request that is not sent.
func (c *call) closeUnsent() {
	if req := c.unsent; req != nil {
		c.unsent = nil
		closeBody(req)
	}
}

// learn applies the response to the partition. If the request is to be resent, it is in the queue afterwards, and c.unsent
// is the request to send.
func (c *call) learn(ctx context.Context, resp *http.Response) {
	t := c.transport
	isAnnounced := len(resp.Trailer) > 0 && replay.BodyFollows(c.req, resp) // before Limits reads the body, whose end sets Trailer
	reading := t.core.reader.Read(resp)
	if t.Limits != nil {
		reading = c.readOwn(resp, reading)
	}
	isIndirect := reading.Cached || resp.StatusCode >= http.StatusMultipleChoices
	var end *tail
	if isAnnounced && !reading.Cached {
		end = &tail{transport: t, req: c.req, resp: resp}
		end.isAnswer = c.visit.Partition().HasTrailers() && !isIndirect && reading.Verdict == validate.VerdictNone
		isIndirect = isIndirect || end.isAnswer
	}
	c.apply(ctx, resp, reading, isIndirect)
	t.core.reader.Free(reading)
	c.watch(resp, end)
}

// maxLook is how many bytes of a body Transport.Limits may read.
const maxLook = 1 << 20

// readOwn calls Transport.Limits with a copy of the response. It returns the reading with what that has read.
func (c *call) readOwn(resp *http.Response, reading *validate.Reading) *validate.Reading {
	shown := *resp
	shown.Request, shown.Body = cmp.Or(resp.Request, c.req), http.NoBody
	if replay.BodyFollows(c.req, resp) {
		look := replay.LookAt(c.req, resp, maxLook)
		defer look.End()
		shown.Body = io.NopCloser(look)
	}
	own := c.transport.Limits(&shown)
	return c.transport.core.reader.Add(reading, resp, &own)
}

// apply applies what a response says about limits.
func (c *call) apply(ctx context.Context, resp *http.Response, reading *validate.Reading, isIndirect bool) {
	t := c.transport
	var now pacer.Instant // 0: just now, and it may not matter
	if !reading.IsSilent() || c.reporter != nil {
		now = t.core.settings.Clock.Now()
	}
	if reading.WantsBody {
		replay.ReadRefusal(c.req, resp, reading)
		now = t.core.settings.Clock.Now() // that may have taken some time
	}
	isRefusal := reading.Verdict.IsRefusal()
	if isRefusal && c.resends < cmp.Or(t.MaxRetries, DefaultMaxRetries) && !t.Shadow {
		c.unsent = replay.Again(c.req, resp.StatusCode)
	}
	// nginx sends a plain 503 both for requests that come too fast and for too many at once.
	isPlain503 := resp.StatusCode == http.StatusServiceUnavailable && reading.RetryAfter == validate.Unknown && len(reading.Limits) == 0
	answer := pacer.Answer{
		Limits:     reading.Limits,
		RetryAfter: reading.RetryAfter,
		Refused:    isRefusal,
		Overloaded: isRefusal && replay.IsOverload(resp.StatusCode) && !isPlain503,
		Violated:   reading.Violated,
		OnlyRoute:  reading.OnlyRoute,
		Indirect:   isIndirect,
	}
	isFinal := reading.Verdict == validate.VerdictNever
	if isFinal { // it says nothing about when to send
		answer = pacer.Answer{RetryAfter: pacer.Unknown, Indirect: true}
	}
	verdict := c.visit.Answered(ctx, now, &answer, gate.Response{
		BodyFollows: replay.BodyFollows(c.req, resp), Resend: c.unsent != nil, IsFinal: isFinal, Sign: reading.Sign,
	})
	c.reporter.answered(c.visit.Partition(), now, resp.StatusCode, reading, verdict)
}

// again discards the throttled response and waits until the request may be resent. If the resend would come too late, it
// returns the response for the caller; if the context ends, its cause.
func (c *call) again(ctx context.Context, throttled *http.Response) (*http.Response, error) {
	watched, isWatched := throttled.Body.(*body.Body)
	stored := c.transport.core.bodies.Discard(c.req, throttled, c.visit.MayBeRefused())
	defer c.transport.core.bodies.Add(-stored)
	if isWatched {
		watched.Done(false) // Close may block, and this request may wait for the place that it frees
	}
	refusal, err := c.visit.Proceed(ctx)
	switch {
	case err != nil:
		c.reporter.left(&c.visit, c.resends, false)
		return nil, err
	case refusal != nil:
		c.reporter.left(&c.visit, c.resends, false)
		return throttled, nil
	}
	return nil, nil
}

// watch puts the body of a response into a Body, if its end matters or a trailer follows. end is nil if there is none.
func (c *call) watch(resp *http.Response, end *tail) {
	if end == nil && !c.visit.IsOpen() {
		return
	}
	watched := &body.Body{ReadCloser: resp.Body, End: c.visit.End()}
	if end != nil {
		end.sent = c.visit.Receipt()
		watched.Trailer = end.read
	}
	resp.Body, c.unread = watched, watched
}

// A tail is what a call leaves behind to read the trailer of its response.
type tail struct {
	transport *Transport
	req       *http.Request  // the caller's
	resp      *http.Response // its Trailer is complete when the body has been read to its end
	sent      gate.Receipt
	isAnswer  bool // the trailer is the answer, not the header: the server reports limits in trailers
}

// read applies the limits in the trailer to the partition. The response has been delivered, so it is no refusal any more.
func (t *tail) read() {
	core := &t.transport.core
	reading := core.reader.Read(&http.Response{StatusCode: http.StatusOK, Header: t.resp.Trailer, Request: t.req})
	defer core.reader.Free(reading)
	isDocumented := func(l limits.Reported) bool { return l.Dialect == 0 } // by a profile, and not in the trailer
	reading.Limits = slices.DeleteFunc(reading.Limits, isDocumented)
	if len(reading.Limits) > 0 || t.isAnswer {
		t.sent.Answered(&pacer.Answer{Limits: reading.Limits, RetryAfter: pacer.Unknown, Indirect: !t.isAnswer})
	}
	if r := core.reporters.of(t.req.Context(), core.settings.Clock.Now()); r != nil {
		r.read(ReadingInfo{Partition: t.sent.Partition().Name(), Status: t.resp.StatusCode, Trailer: true}, &validate.Reading{
			Limits: reading.Limits, RetryAfter: validate.Unknown, Problems: reading.Problems,
		})
	}
}
