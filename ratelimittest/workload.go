package ratelimittest

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// ErrNoGetBody is the error of a workload whose request has a Body and no GetBody, so that it can be sent
// only once.
var ErrNoGetBody = errors.New("ratelimittest: a request with a Body but no GetBody cannot be repeated")

var errNotReturned = errors.New("ratelimittest: the call, or one before it, ended its goroutine")

// A Workload is what one client has to do: a Batch, a Schedule, a Backlog, or a type of the test's own. Do
// makes calls, each with a context derived from ctx. It returns when all calls have ended, with one Outcome
// for each. Do may make concurrent calls. A Scenario calls Do once for each client, concurrently.
type Workload interface {
	Do(ctx context.Context, call func(context.Context) (status int, err error)) []Outcome
}

// A Batch is a workload of requests that are all there at the start. They are sent as fast as the client
// allows. If Requests is 0 or negative, there are none. If Workers is 0 or negative, there is one worker.
type Batch struct {
	Requests int // the total number
	Workers  int // the number of calls in flight at a time, waiting calls included
}

// A Schedule is a workload that does not wait for responses. Each request is made at its time after the start
// of the workload, whatever happened to earlier requests. The times must ascend. A request whose time is in
// the past is made at once.
type Schedule []time.Duration

// Poisson returns a Schedule of n independent requests, with an average gap of interval (a Poisson process).
// If n is 0 or negative, there are none. If interval is 0 or negative, all come at once.
func Poisson(rng *rand.Rand, n int, interval time.Duration) Schedule {
	s := make(Schedule, max(n, 0))
	var at time.Duration
	for i := range s {
		at += time.Duration(rng.ExpFloat64() * float64(max(interval, 0)))
		s[i] = at
	}
	return s
}

// An Outcome is the result of one call of a workload, as the client sees it.
type Outcome struct {
	Start  time.Time // when the call was made
	End    time.Time // when the call returned; with Send: when the response's body had been read
	Status int       // of the response; 0 if there was none, or the call does not report it
	Err    error     // of the call: of http.Client.Do, of reading the body, or of an SDK
}

// Do implements Workload. It makes the calls of the batch and returns their Outcomes, in no particular order,
// when all have ended. call returns the response's status, or 0 if it does not know the status, and an error
// if it failed. The workers make concurrent calls, all with ctx. When ctx is done, Do still makes the
// remaining calls, which should then fail.
func (b Batch) Do(ctx context.Context, call func(context.Context) (status int, err error)) []Outcome {
	outcomes := make([]Outcome, max(b.Requests, 0))
	for i := range outcomes {
		outcomes[i].Err = errNotReturned // replaced when the call is made
	}
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(b.workers(), len(outcomes)) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(outcomes)); i = next.Add(1) - 1 {
				do(ctx, &outcomes[i], call)
			}
		})
	}
	workers.Wait()
	return outcomes
}

// Do implements Workload, see Batch.Do. The Outcomes are in the order of s. When ctx is done, the remaining
// calls are not made, and their Err is the cause of ctx's end.
func (s Schedule) Do(ctx context.Context, call func(context.Context) (status int, err error)) []Outcome {
	outcomes := make([]Outcome, len(s))
	begun := clock()
	var calls sync.WaitGroup
	for i, at := range s {
		if err := sleep(ctx, at-clock().Sub(begun)); err != nil {
			outcomes[i] = Outcome{Start: clock(), End: clock(), Err: err}
			continue
		}
		calls.Go(func() { do(ctx, &outcomes[i], call) })
	}
	calls.Wait()
	return outcomes
}

// Send is Do with copies of req, sent by client, with the context of req. GetBody returns the Body of each
// copy; if req has a Body and no GetBody, every Err is ErrNoGetBody.
func (b Batch) Send(client *http.Client, req *http.Request) []Outcome {
	return b.Do(req.Context(), sender(client, req))
}

// Send is Do with copies of req sent by client, see Batch.Send.
func (s Schedule) Send(client *http.Client, req *http.Request) []Outcome {
	return s.Do(req.Context(), sender(client, req))
}

func (b Batch) workers() int { return max(b.Workers, 1) }

func (b Batch) batch() Batch { return b }

// batchOf returns the Batch that load is or embeds.
func batchOf(load Workload) (b Batch, ok bool) {
	l, ok := load.(interface{ batch() Batch })
	if !ok {
		return b, false
	}
	defer func() { ok = recover() == nil }() // an embedded *Batch may be nil
	return l.batch(), true
}

// do makes a call and fills in its Outcome. Err remains errNotReturned if the call ends its goroutine, as
// testing.T.FailNow does.
func do(ctx context.Context, o *Outcome, call func(context.Context) (int, error)) {
	o.Start, o.Err = clock(), errNotReturned
	defer func() { o.End = clock() }()
	o.Status, o.Err = call(ctx)
}

// sender returns a call that sends a copy of req and reads the response to its end.
func sender(client *http.Client, req *http.Request) func(context.Context) (int, error) {
	return func(ctx context.Context) (int, error) {
		again, err := replay(ctx, req)
		if err != nil {
			return 0, err
		}
		resp, err := client.Do(again)
		if err != nil {
			return 0, err
		}
		_, err = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close() // no error to handle: the body has been read
		return resp.StatusCode, err
	}
}

// replay returns a copy of req with a Body of its own.
func replay(ctx context.Context, req *http.Request) (*http.Request, error) {
	again := req.Clone(ctx)
	if req.Body == nil || req.Body == http.NoBody {
		return again, nil
	}
	if req.GetBody == nil {
		return nil, ErrNoGetBody
	}
	body, err := req.GetBody()
	again.Body = body
	return again, err
}
