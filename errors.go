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
	"github.com/headway-go/headway/internal/schedule"
	"github.com/headway-go/headway/pacer"
)

// ErrMaxWait is why a request was refused that would have had to wait longer
// than [Transport.MaxWait], or for ever. It is found with [errors.Is] in what
// RoundTrip returns.
var ErrMaxWait = errors.New("headway: wait is longer than MaxWait")

// ErrLoop is what RoundTrip returns if the Transport is its own Base, or stands below it
// as far as layers can be unwrapped. Nothing is sent.
var ErrLoop = errors.New("headway: the Transport is its own Base")

// A LimitError says that a request was never sent, because it would have had
// to wait too long. It is found with [errors.As] in what RoundTrip and
// http.Client return, and by [Refused] where responses stand for errors.
type LimitError struct {
	// Partition is the name of the request's partition: what Transport.Partition
	// returned, or in the manner of DefaultPartition, without credentials.
	Partition string

	// Policy is the server's name for the policy that makes the request wait;
	// "" if none has a name, or the wait has another cause.
	Policy string

	// Cause is what the request would have waited for.
	Cause Cause

	// RetryAt is the earliest time at which such a request can start, as far as
	// known now. It is zero if none is known: the Ceiling lets nothing through, or
	// all depends on when another request ends.
	RetryAt time.Time

	// Wait is the time from the refusal to RetryAt; 0 if that is zero.
	Wait time.Duration

	// Err is the reason: context.DeadlineExceeded if the request could not start
	// before its context's deadline, ErrMaxWait if not within MaxWait, or never.
	Err error
}

// Error says what would wait, for what, until when, and what to do about it, in one line. The text may change. It holds
// neither credentials nor anything else of the request but its partition.
func (e *LimitError) Error() string {
	var b strings.Builder
	b.WriteString("headway: request not sent")
	if e.Partition != "" {
		b.WriteString(": partition " + e.Partition)
	}
	b.WriteString(": it would wait ")
	if !e.RetryAt.IsZero() {
		b.WriteString(roundWait(e.Wait).String() + " (until " + e.RetryAt.UTC().Format(time.RFC3339) + ") ")
	}
	b.WriteString("for " + e.awaited())
	switch {
	case e.Timeout():
		b.WriteString(", longer than its deadline allows; allow a longer timeout")
	case e.RetryAt.IsZero():
		b.WriteString(", longer than MaxWait or forever; allow a longer MaxWait")
	default:
		b.WriteString(", longer than MaxWait; allow a longer MaxWait")
	}
	b.WriteString(", make fewer requests at once, or set RefuseWithResponse")
	return b.String()
}

// awaited is what the request would wait for.
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
	}
	if policy != "" {
		return "the limit" + policy
	}
	return "its turn"
}

// roundWait drops digits of a wait that nobody needs.
func roundWait(d time.Duration) time.Duration {
	switch {
	case d >= time.Minute:
		return d.Round(time.Second)
	case d >= time.Second:
		return d.Round(100 * time.Millisecond)
	}
	return d.Round(time.Millisecond)
}

// Unwrap returns e.Err.
func (e *LimitError) Unwrap() error { return e.Err }

// Timeout reports whether a deadline was the reason, as in net.Error.
func (e *LimitError) Timeout() bool { return errors.Is(e.Err, context.DeadlineExceeded) }

// Refusal is how a Transport refuses a request that may not wait as long as it
// would have to. Any other value than the two below is RefuseWithError.
type Refusal int

const (
	// RefuseWithError has RoundTrip return a *LimitError. It is the default.
	RefuseWithError Refusal = iota

	// RefuseWithResponse has RoundTrip return a response made by the Transport,
	// for callers that know what to do with a 429 and not with an error: status
	// 429, no body, the wait in Retry-After (in seconds, rounded up; absent where
	// LimitError.RetryAt is zero), and X-Should-Retry: false, which tells SDKs that
	// retry by themselves to leave it. Refused recognises it.
	RefuseWithResponse
)

// refusalKey is the context key of a *refusal.
type refusalKey struct{}

// A refusal marks a response that a Transport made. It travels in the context
// of the response's Request: out of reach for a server, and left alone by
// layers that wrap the Body.
type refusal struct {
	request *http.Request // the one whose context this is, no other made from it
	err     *LimitError
}

// Refused reports whether resp is a Transport's own refusal
// ([RefuseWithResponse]), and what it stands for. A server's 429 is not one,
// whatever it looks like. resp may be nil.
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

// isRefusal reports whether a Transport below has refused to send the request: the server has said nothing.
func isRefusal(resp *http.Response) bool {
	if resp.StatusCode != http.StatusTooManyRequests {
		return false
	}
	_, ok := Refused(resp)
	return ok
}

// newLimitError says that a request was not sent. p is its partition; nil if it is not paced here.
func newLimitError(c *clock.Clock, p *schedule.Partition, r *schedule.Refusal) *LimitError {
	e := &LimitError{Policy: r.Policy, Cause: causeOf(schedule.Delay{Plan: r.Plan, Ceiling: r.Cause == pacer.CauseNone}), Err: ErrMaxWait}
	if r.Deadline {
		e.Err = context.DeadlineExceeded
	}
	if p != nil {
		e.Partition = p.Name()
	}
	if r.At < pacer.Never {
		e.RetryAt, e.Wait = c.Time(r.At), r.At.Sub(r.Now)
	}
	return e
}

// refuse returns what RoundTrip returns for a request that it does not send.
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
		_ = req.Body.Close() // RoundTrip has something else to report
	}
}
