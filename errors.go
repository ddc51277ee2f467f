package headway

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/internal/eventlog"
	"github.com/headway-go/headway/internal/gate"
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
	// Partition is the name of the request's partition: the result of Transport.Partition or DefaultPartition, in a fleet
	// with a hash that all its processes show. It holds no credentials, unless Transport.Partition returned some.
	Partition string

	// Policy is the server's name for the policy that makes the request wait. It is "" if the policy has no name, or if
	// something else makes the request wait.
	Policy string

	// Cause is what the request would wait for.
	Cause Cause

	// RetryAt is the earliest time at which such a request can start, as far as is known now. It is zero if that is not
	// known: the Ceiling lets nothing through, or the request waits for another one to end.
	RetryAt time.Time

	// Wait is how long the request would wait still: the time from the refusal to RetryAt, 0 if RetryAt is zero.
	Wait time.Duration

	// Waited is how long the request had waited when it was refused, since the call of RoundTrip; 0 if it was refused at
	// once.
	Waited time.Duration

	// Bound is how long the request may wait in all, since the call of RoundTrip: MaxWait or, if the deadline of its
	// context is the reason, until then. It is negative if only the request's cancellation would have ended its wait.
	Bound time.Duration

	// Err is the reason: context.DeadlineExceeded if the request could not start before the deadline of its context, else
	// ErrMaxWait.
	Err error
}

// Error says in one line how long the request would wait, for what, and the bound. The text may change. Of the request it
// holds only the partition.
func (e *LimitError) Error() string {
	text, wait, bound := "headway: request not sent", "perhaps forever", "MaxWait"
	if e.Partition != "" {
		text += ": partition " + e.Partition
	}
	if !e.RetryAt.IsZero() {
		wait = fmt.Sprintf("%v (until %s)", eventlog.RoundWait(e.Wait), e.RetryAt.UTC().Format(time.RFC3339))
	}
	if e.Timeout() {
		bound = "its deadline"
	}
	text += fmt.Sprintf(": it would wait %s for %s, longer than %s allows", wait, e.awaited(), bound)
	if waited := eventlog.RoundWait(e.Waited); e.Bound >= 0 && waited > 0 {
		text += fmt.Sprintf(" (%v in all, %v are over)", eventlog.RoundWait(e.Bound), waited)
	} else if e.Bound >= 0 {
		text += fmt.Sprintf(" (%v in all)", eventlog.RoundWait(e.Bound))
	}
	return text
}

// awaited is what the request would wait for.
func (e *LimitError) awaited() string {
	awaited, isKnown := map[Cause]string{
		CauseHold:    "the end of the hold",
		CauseQuota:   "the quota",
		CausePace:    "its turn at the pace",
		CauseTrial:   "its turn at the pace found by trial",
		CauseStart:   "the server's first response",
		CausePlaces:  "a request in flight to end",
		CauseCeiling: "the Ceiling",
		CauseQueue:   "requests ahead of it",
	}[e.Cause]
	if !isKnown {
		awaited = "a limit"
	}
	if e.Policy != "" {
		awaited += " of policy " + strconv.Quote(e.Policy) // the server chose the name
	}
	return awaited
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

	// RefuseWithResponse makes RoundTrip return a response, for callers that handle a 429 better than an error. Its status
	// is 429 and it has no body. Retry-After is the wait in seconds, rounded up; it is absent if LimitError.RetryAt is
	// zero. X-Should-Retry: false asks SDKs not to retry. Refused recognises the response.
	RefuseWithResponse
)

type refusalKey struct{}

// A refusal marks a response that a Transport made. It is in the context of the response's Request, where no server can put
// one, and where layers that wrap the Body leave it.
type refusal struct {
	request *http.Request // the request whose context this is, not a copy of it
	err     *LimitError
}

// Refused reports whether a Transport made resp instead of sending the request (see [RefuseWithResponse]), and returns the
// error that resp stands for. For a 429 of a server it reports false, whatever that looks like. resp may be nil.
func Refused(resp *http.Response) (*LimitError, bool) {
	if resp == nil || resp.Request == nil || resp.StatusCode != http.StatusTooManyRequests {
		return nil, false
	}
	r, ok := resp.Request.Context().Value(refusalKey{}).(*refusal)
	if !ok || r.request != resp.Request {
		return nil, false
	}
	return r.err, true
}

// newLimitError returns the error of a request that was made at called and is refused. p is its partition, nil if this
// Transport does not pace it.
func newLimitError(ctx context.Context, c *clock.Clock, p *gate.Partition, w *gate.Wait, called pacer.Instant, maxWait time.Duration) *LimitError {
	e := &LimitError{Policy: w.Policy, Cause: w.Cause, Waited: w.Now.Sub(called), Bound: maxWait, Err: ErrMaxWait}
	e.RetryAt, e.Wait = publish(c, w)
	if w.Deadline {
		deadline, _ := ctx.Deadline()
		e.Bound, e.Err = c.Until(deadline).Sub(called), context.DeadlineExceeded
	}
	if p != nil {
		e.Partition = p.Name()
	}
	return e
}

// publish returns the times of a wait as users see them. They are zero if no start is known.
func publish(c *clock.Clock, w *gate.Wait) (until time.Time, wait time.Duration) {
	if w.At < pacer.Never {
		until = c.Time(w.At)
	}
	return until, w.Length()
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
