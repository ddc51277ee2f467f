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

// ErrNoGetBody is the error of a workload whose request has a Body that cannot
// be sent twice.
var ErrNoGetBody = errors.New("ratelimittest: a request with a Body but no GetBody cannot be repeated")

var errNotReturned = errors.New("ratelimittest: the call, or one before it, ended its goroutine")

// A Workload is what one client has to do: a Batch, a Schedule, a Backlog, or a test's own. Do
// makes calls, each with a context made from ctx, and returns when all are over,
// with one Outcome for each. It may call concurrently, and is itself called so, once
// for each client of a Scenario.
type Workload interface {
	Do(ctx context.Context, call func(context.Context) (status int, err error)) []Outcome
}

// A Batch is a workload: a number of requests that are all there from the start
// and sent as fast as the client lets them go. Zero or negative Requests: none.
// Zero or negative Workers: one.
type Batch struct {
	Requests int // in all
	Workers  int // how many are sent, or wait to be, at a time
}

// A Schedule is a workload that does not wait for its responses: each request
// is made at its time, counted from the start of the workload, whatever became
// of those before. The times ascend; what is past already is made at once.
type Schedule []time.Duration

// Poisson returns a Schedule of n requests that come independently of each
// other, one every interval on average. Zero or negative n: none. Zero or negative
// interval: all at once.
func Poisson(rng *rand.Rand, n int, interval time.Duration) Schedule {
	s := make(Schedule, max(n, 0))
	var at time.Duration
	for i := range s {
		at += time.Duration(rng.ExpFloat64() * float64(max(interval, 0)))
		s[i] = at
	}
	return s
}

// An Outcome is what became of one call of a workload, from the client's
// point of view.
type Outcome struct {
	Start  time.Time // when the client was asked to send it
	End    time.Time // when the response's body had been read, or the error came
	Status int       // of the response; 0 if none came, or the call does not tell
	Err    error     // of the call: of http.Client.Do, of reading the body, of an SDK
}

// Do makes the calls of the batch and returns what became of each once all are
// over, in no particular order. A call returns the status of its response, 0 if
// that is nothing it knows of, and an error if it failed. The workers call
// concurrently, all with ctx; when that is done, it is for the calls to fail.
func (b Batch) Do(ctx context.Context, call func(context.Context) (status int, err error)) []Outcome {
	outcomes := make([]Outcome, max(b.Requests, 0))
	for i := range outcomes {
		outcomes[i].Err = errNotReturned // until it is made
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

// Do is like Batch.Do; the Outcomes are in the order of s. When ctx is done, the
// calls that are still to come are not made and fail with its cause.
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

// Send is Do with copies of req, which client sends; the context of req is that of
// all. A Body is replayed through GetBody; without it every Err is ErrNoGetBody.
func (b Batch) Send(client *http.Client, req *http.Request) []Outcome {
	return b.Do(req.Context(), sender(client, req))
}

// Send is to Schedule.Do what Batch.Send is to Batch.Do.
func (s Schedule) Send(client *http.Client, req *http.Request) []Outcome {
	return s.Do(req.Context(), sender(client, req))
}

func (b Batch) workers() int { return max(b.Workers, 1) }

func (b Batch) batch() Batch { return b }

// batchOf returns the Batch that a Workload is or embeds.
func batchOf(load Workload) (b Batch, ok bool) {
	l, ok := load.(interface{ batch() Batch })
	if !ok {
		return b, false
	}
	defer func() { ok = recover() == nil }() // to embed a nil *Batch is to embed none
	return l.batch(), true
}

// do makes a call and fills in what becomes of it, which stays errNotReturned if the
// call ends its goroutine, as testing.T.FailNow does.
func do(ctx context.Context, o *Outcome, call func(context.Context) (int, error)) {
	o.Start, o.Err = clock(), errNotReturned
	defer func() { o.End = clock() }()
	o.Status, o.Err = call(ctx)
}

// sender returns a call that sends a copy of req and reads the response.
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
		_ = resp.Body.Close() // it has been read
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
