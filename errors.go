package headway

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/internal/eventlog"
	"github.com/headway-go/headway/internal/schedule"
	"github.com/headway-go/headway/pacer"
)

// ErrMaxWait says that a request was refused because it would wait longer than [Transport.MaxWait], or forever. Find it
// with [errors.Is] in the error of RoundTrip.
var ErrMaxWait = errors.New("headway: wait is longer than MaxWait")

// ErrLoop is the error of RoundTrip if the Transport is its own Base, or what its Base unwraps. Nothing is sent.
var ErrLoop = errors.New("headway: the Transport is its own Base")

// A LimitError says that a request was never sent, because it would wait too long. Find it with [errors.As] in the error of
// RoundTrip or http.Client. With [RefuseWithResponse], [Refused] returns it.
type LimitError struct {
	// Partition is the name of the request's partition: the result of Transport.Partition or
	// DefaultPartition. It holds no credentials, unless Transport.Partition returned some.
	Partition string

	// Policy is the server's name for the policy that makes the request wait. It is "" if the
	// policy has no name, or if something else makes the request wait.
	Policy string

	// Cause is what the request would wait for.
	Cause Cause

	// RetryAt is the earliest time at which such a request can start, as far as is known now. It
	// is zero if that is not known: the Ceiling lets nothing through, or the request waits for
	// another one to end.
	RetryAt time.Time

	// Wait is the time from the refusal to RetryAt, 0 if RetryAt is zero.
	Wait time.Duration

	// Err is the reason: context.DeadlineExceeded if the request could not start before the
	// deadline of its context, else ErrMaxWait.
	Err error
}

// Error says in one line what would wait, for what, until when, and what to do about it. The text may change. Of the
// request it holds only the partition.
func (e *LimitError) Error() string {
	var b strings.Builder
	b.WriteString("headway: request not sent")
	if e.Partition != "" {
		b.WriteString(": partition " + e.Partition)
	}
	b.WriteString(": it would wait")
	detail := ""
	if !e.RetryAt.IsZero() {
		detail = " " + eventlog.RoundWait(e.Wait).String() + " (until " + e.RetryAt.UTC().Format(time.RFC3339) + ")"
	}
	if awaited := e.awaited(); awaited != "" {
		detail += " for " + awaited
	}
	if detail != "" {
		b.WriteString(detail + ",")
	}
	bound, longer := " longer than MaxWait", "allow a longer MaxWait"
	switch {
	case e.Timeout():
		bound, longer = " longer than its deadline allows", "allow a longer timeout"
	case e.RetryAt.IsZero():
		bound += ", or forever"
	}
	b.WriteString(bound + "; ")
	switch e.Cause {
	case CauseCeiling:
		b.WriteString("raise the Ceiling, ")
	case CausePlaces:
		b.WriteString("close the bodies of responses, ")
	}
	b.WriteString(longer)
	b.WriteString(", make fewer requests at once, or set RefuseWithResponse")
	return b.String()
}

// awaited is what the request would wait for; "" if that is not known.
func (e *LimitError) awaited() string {
	policy := ""
	if e.Policy != "" {
		policy = " of policy " + strconv.Quote(e.Policy) // the server chose the name
	}
	switch e.Cause {
	case CauseHold:
		return "the end of the hold" + policy
	case CauseQuota:
		return "the quota" + policy
	case CausePace:
		return "its turn at the pace" + policy
	case CauseTrial:
		return "its turn at the pace found by trial"
	case CauseStart:
		return "the server's first response"
	case CausePlaces:
		return "a request in flight to end"
	case CauseCeiling:
		return "the Ceiling"
	case CauseQueue:
		return "requests ahead of it"
	}
	if policy != "" {
		return "a limit" + policy
	}
	return ""
}

// Unwrap returns e.Err.
func (e *LimitError) Unwrap() error { return e.Err }

// Timeout reports whether a deadline is the reason. It is the method of that name of net.Error.
func (e *LimitError) Timeout() bool { return errors.Is(e.Err, context.DeadlineExceeded) }

// Refusal says how a Transport refuses a request whose wait would be too long. Any value but the two below counts as
// RefuseWithError.
type Refusal int

const (
	// RefuseWithError makes RoundTrip return a *LimitError. It is the zero value.
	RefuseWithError Refusal = iota

	// RefuseWithResponse makes RoundTrip return a response, for callers that handle a 429 better
	// than an error. Its status is 429 and it has no body. Retry-After is the wait in seconds,
	// rounded up; it is absent if LimitError.RetryAt is zero. X-Should-Retry: false asks SDKs not
	// to retry. Refused recognises the response.
	RefuseWithResponse
)

type refusalKey struct{}

// A refusal marks a response that a Transport made. It is in the context of the response's Request, where no server can
// put one, and where layers that wrap the Body leave it.
type refusal struct {
	request *http.Request // the request whose context this is, not a copy of it
	err     *LimitError
}

// Refused reports whether a Transport made resp instead of sending the request (see [RefuseWithResponse]), and returns the
// error that resp stands for. For a 429 of a server it reports false, whatever that looks like. resp may be nil.
func Refused(resp *http.Response) (*LimitError, bool) {
	if resp == nil || resp.Request == nil {
		return nil, false
	}
	r, ok := resp.Request.Context().Value(refusalKey{}).(*refusal)
	if !ok || r.request != resp.Request {
		return nil, false
	}
	return r.err, true
}

// isRefusal reports whether a Transport below made resp. Nothing is to be learned from it, as no server sent it.
func isRefusal(resp *http.Response) bool {
	if resp.StatusCode != http.StatusTooManyRequests {
		return false
	}
	_, ok := Refused(resp)
	return ok
}

// newLimitError returns the error of a refused request. p is its partition, nil if this Transport does not pace it.
func newLimitError(c *clock.Clock, p *schedule.Partition, w *schedule.Wait) *LimitError {
	e := &LimitError{Policy: w.Policy, Err: ErrMaxWait}
	e.Cause, e.RetryAt, e.Wait = publish(c, w)
	if w.Deadline {
		e.Err = context.DeadlineExceeded
	}
	if p != nil {
		e.Partition = p.Name()
	}
	return e
}

// newWaitingInfo returns what a hook is told of a wait in that partition.
func newWaitingInfo(c *clock.Clock, partition string, w *schedule.Wait) WaitingInfo {
	info := WaitingInfo{Partition: partition, Policy: w.Policy, Queue: w.Queue, Age: pacer.Unknown, Resend: w.Resend}
	info.Cause, info.Until, info.Wait = publish(c, w)
	if w.Cause != pacer.CauseNone {
		info.Age = w.Age
	}
	return info
}

// publish returns a wait as users see it. The times are zero if no start is known.
func publish(c *clock.Clock, w *schedule.Wait) (cause Cause, until time.Time, wait time.Duration) {
	if w.At < pacer.Never {
		until, wait = c.Time(w.At), max(0, w.At.Sub(w.Now))
	}
	return Cause(eventlog.Cause(w.Plan, w.Ceiling)), until, wait
}

// refuse returns the results of RoundTrip for a request that is not sent.
func (r Refusal) refuse(req *http.Request, err *LimitError) (*http.Response, error) {
	if r != RefuseWithResponse {
		return nil, err
	}
	mark := &refusal{err: err}
	mark.request = req.WithContext(context.WithValue(req.Context(), refusalKey{}, mark))
	header := http.Header{"Content-Length": {"0"}, "X-Should-Retry": {"false"}}
	if !err.RetryAt.IsZero() {
		seconds := max(1, int64(math.Ceil(err.Wait.Seconds())))
		header["Retry-After"] = []string{strconv.FormatInt(seconds, 10)}
	}
	return &http.Response{
		Status:     "429 " + http.StatusText(http.StatusTooManyRequests),
		StatusCode: http.StatusTooManyRequests,
		Proto:      "HTTP/1.1",
		ProtoMajor: 1,
		ProtoMinor: 1,
		Header:     header,
		Body:       http.NoBody,
		Request:    mark.request,
	}, nil
}

func closeBody(req *http.Request) {
	if req.Body != nil {
		_ = req.Body.Close() // RoundTrip returns another error
	}
}
