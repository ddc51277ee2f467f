package fuzz

import (
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/validate"
)

const (
	discardBytes = 64 << 10               // the most bytes that are read of a discarded response
	discardTime  = 250 * time.Millisecond // the longest time for reading them
	keptLimits   = 16                     // the most limits of one partition
)

func (s *scenario) check(t *testing.T) {
	t.Helper()
	for _, e := range s.exchanges {
		s.checkOutcome(t, e)
		s.checkTimes(t, e)
		s.checkCalls(t, e)
		e.checkRequest(t)
	}
	s.checkHolds(t)
	s.checkStates(t)
}

// checkOutcome checks that a call returns either a response or an error, for one of the documented reasons.
func (s *scenario) checkOutcome(t *testing.T, e *exchange) {
	t.Helper()
	require.NotEqual(t, e.resp == nil, e.err == nil, "a response or an error: %v, %v", e.resp, e.err)
	refused, isRefusal := headway.Refused(e.resp)
	isError := errors.As(e.err, &refused)
	if isRefusal || isError {
		require.Empty(t, e.calls, "refused after it was sent")
		require.Equal(t, s.transport.Refusal == headway.RefuseWithResponse, isRefusal)
		require.False(t, s.transport.Shadow)
		checkRefusal(t, refused, e.resp)
		return
	}
	if e.err != nil {
		isLost := len(e.calls) > 0 && e.last().err != nil && errors.Is(e.err, e.last().err)
		isOver := (errors.Is(e.err, context.Canceled) || errors.Is(e.err, context.DeadlineExceeded)) && !e.returned.Before(e.deadline)
		require.True(t, isLost || isOver, "%v", e.err)
		return
	}
	require.NotEmpty(t, e.calls)
	e.checkResponse(t)
}

func checkRefusal(t *testing.T, refused *headway.LimitError, resp *http.Response) {
	t.Helper()
	require.Contains(t, []error{context.DeadlineExceeded, headway.ErrMaxWait}, refused.Err)
	require.GreaterOrEqual(t, refused.Wait, time.Duration(0))
	require.NotContains(t, refused.Error(), "key")
	if resp != nil {
		require.Equal(t, http.StatusTooManyRequests, resp.StatusCode)
		require.Equal(t, []string{"false"}, resp.Header["X-Should-Retry"])
	}
}

func (e *exchange) last() *baseCall { return e.calls[len(e.calls)-1] }

// checkResponse checks that the response is the last one of Base, unchanged.
func (e *exchange) checkResponse(t *testing.T) {
	t.Helper()
	call := e.last()
	require.Same(t, call.resp, e.resp)
	require.Equal(t, call.header, e.resp.Header)
	require.Equal(t, reflect.ValueOf(call.given.Header).Pointer(), reflect.ValueOf(e.resp.Header).Pointer())
	got := *e.resp
	got.Body, got.Request = call.given.Body, nil
	want := call.given
	want.Request = nil
	require.Equal(t, want, got)
	require.Same(t, e.req, e.resp.Request)
	if call.reply == nil {
		require.Empty(t, e.read.text)
		require.NoError(t, e.read.err)
		return
	}
	if e.resp.StatusCode == http.StatusSwitchingProtocols {
		require.Same(t, call.reply, e.resp.Body)
	}
	e.checkReply(t, call)
}

func (e *exchange) checkReply(t *testing.T, call *baseCall) {
	t.Helper()
	full := call.reply.full
	require.True(t, strings.HasPrefix(full, e.read.text), "not the bytes of Base's body")
	require.False(t, call.reply.closedAt.IsZero(), "body of the response is left open")
	isDiscarded := call.reply.closedAt.Before(e.read.began) || errors.Is(e.read.err, io.ErrUnexpectedEOF)
	switch {
	case !e.read.all:
	case e.read.err == nil:
		require.Equal(t, full, e.read.text)
		require.NoError(t, call.reply.fail)
	case errors.Is(e.read.err, io.ErrUnexpectedEOF):
		require.True(t, isThrottled(call), "broken off though it was not discarded")
		require.True(t, isDiscarded)
		require.LessOrEqual(t, len(e.read.text), discardBytes)
		hasEnded := !call.reply.closedAt.Before(e.deadline) // at the instant of the deadline either may come first
		require.True(t, call.reply.pause > 0 || call.reply.fail != nil || len(e.read.text) == discardBytes || hasEnded)
	default:
		require.Equal(t, call.reply.fail, e.read.err)
	}
}

// checkTimes checks that no request is delayed for longer than MaxWait and its context allow.
func (s *scenario) checkTimes(t *testing.T, e *exchange) {
	t.Helper()
	latest := e.deadline
	if wait := maxWait(s.transport); wait >= 0 && e.called.Add(wait).Before(latest) {
		latest = e.called.Add(wait)
	}
	if latest.Before(e.called) {
		latest = e.called
	}
	for i, call := range e.calls {
		require.False(t, call.began.After(latest), "call %d of Base at %v after the call, bound %v", i, call.began.Sub(e.called), latest.Sub(e.called))
	}
	if len(e.calls) > 0 {
		if end := e.last().ended.Add(discardTime); end.After(latest) {
			latest = end
		}
	}
	require.False(t, e.returned.After(latest), "returned %v after the call, bound %v", e.returned.Sub(e.called), latest.Sub(e.called))
}

func maxWait(t *headway.Transport) time.Duration {
	if t.MaxWait == 0 {
		return headway.DefaultMaxWait
	}
	return t.MaxWait
}

// checkCalls checks that only throttled requests are sent again, with the same body, and at most
// MaxRetries times.
func (s *scenario) checkCalls(t *testing.T, e *exchange) {
	t.Helper()
	most := max(s.transport.MaxRetries, 0)
	if s.transport.MaxRetries == 0 {
		most = headway.DefaultMaxRetries
	}
	if s.transport.Shadow {
		most = 0
		for _, call := range e.calls {
			require.Equal(t, e.called, call.began, "a shadow delays nothing")
		}
	}
	require.LessOrEqual(t, len(e.calls), 1+most)
	for i, call := range e.calls {
		require.Equal(t, e.sent, call.req.Header)
		if len(e.bodies) > 0 {
			require.Equal(t, payload, call.payload)
		}
		if i == len(e.calls)-1 {
			break
		}
		require.True(t, isThrottled(call), "sent again though it was not throttled: %d", call.resp.StatusCode)
		require.False(t, call.resp.StatusCode == http.StatusServiceUnavailable && e.req.Method == http.MethodPost)
		if call.reply != nil {
			require.False(t, call.reply.closedAt.IsZero(), "body of a discarded response is left open")
		}
	}
}

// checkRequest checks that the request is unchanged and that all its bodies are closed.
func (e *exchange) checkRequest(t *testing.T) {
	t.Helper()
	require.Equal(t, e.sent, e.req.Header)
	require.Equal(t, e.body, e.req.Body)
	for i, body := range e.bodies {
		require.Positive(t, body.Closed, "body %d of the request is left open", i)
	}
}

// checkHolds checks that no request of a partition starts before a Retry-After has ended. A request that
// starts at the instant of the response may not know of it.
func (s *scenario) checkHolds(t *testing.T) {
	t.Helper()
	if s.transport.Shadow {
		return
	}
	for _, held := range s.exchanges {
		for _, refusal := range held.calls {
			until := refusal.ended.Add(s.retryAfter(refusal))
			s.checkHold(t, held.req.URL.Host, refusal.ended, until)
		}
	}
}

func (s *scenario) checkHold(t *testing.T, host string, from, until time.Time) {
	t.Helper()
	for _, e := range s.exchanges {
		for _, call := range e.calls {
			isHeld := call.req.URL.Host == host && call.began.After(from) && call.began.Before(until)
			require.False(t, isHeld, "sent %v before the end of a Retry-After", until.Sub(call.began))
		}
	}
}

func (s *scenario) retryAfter(c *baseCall) time.Duration {
	if c.resp == nil {
		return 0
	}
	resp := c.given
	r := validate.Response(&resp, c.ended, s.transport.Bounds)
	if !r.Verdict.IsRefusal() {
		return 0
	}
	return max(r.RetryAfter, 0)
}

func isThrottled(c *baseCall) bool {
	resp := c.given
	return c.resp != nil && validate.Response(&resp, c.ended, validate.Bounds{}).Verdict.IsRefusal()
}

// checkStates checks that no request waits or is in flight at the end, and that the numbers are in range.
func (s *scenario) checkStates(t *testing.T) {
	t.Helper()
	require.LessOrEqual(t, len(s.states), 2)
	for _, p := range s.states {
		require.Zero(t, p.Waiting)
		require.Zero(t, p.InFlight)
		require.LessOrEqual(t, len(p.Limits), keptLimits)
		for _, l := range p.Limits {
			require.True(t, l.Rate >= 0 && !math.IsInf(l.Rate, 0), "%+v", l)
			require.True(t, l.Share > 0 && l.Share <= 1, "%+v", l)
			require.True(t, l.Quota >= -1 && l.Remaining >= -1 && l.Window >= -1, "%+v", l)
		}
	}
}
