package ratelimittest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/headway-go/headway/internal/memhttp"
)

var (
	errNoGetBody   = errors.New("ratelimittest: a request with a Body but no GetBody cannot be repeated")
	errNotReturned = errors.New("ratelimittest: the call, or one before it, ended its goroutine")
)

// A Workload is what one client has to do: a Batch, or a type of the test's own. Do makes calls, each with a context
// derived from ctx. It returns when all calls have ended, with one Outcome for each. Do may make concurrent calls. A
// Scenario calls Do once for each client, concurrently.
type Workload interface {
	Do(ctx context.Context, call func(context.Context) (status int, err error)) []Outcome
}

// A Batch is a workload of requests that are all there at the start. They are sent as fast as the client allows.
//
// With For, there are more requests than can be sent: each worker makes its next call as soon as it has a response,
// until For is over. Calls in flight at the end are cancelled, and are missing in the Outcomes. Their context has no
// deadline, so the client cannot plan for the end. With Scenario.Duration the client sees a deadline. If calls take no
// time, because there is no latency or they fail at once, each worker makes at most a thousand calls a second.
type Batch struct {
	Requests int           // the total number; 0 or negative: none; not used with For
	For      time.Duration // the time from the first call to the end; 0 or negative: until Requests have been sent
	Workers  int           // the number of calls in flight at a time, waiting calls included; 0 or negative: one
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
// if it failed. The workers make concurrent calls. When ctx is done, Do still makes the remaining calls, which should
// then fail; with For it makes no more.
func (b Batch) Do(ctx context.Context, call func(context.Context) (status int, err error)) []Outcome {
	if b.For > 0 {
		return b.doFor(ctx, call)
	}
	outcomes := make([]Outcome, max(b.Requests, 0))
	for i := range outcomes {
		outcomes[i].Err = errNotReturned // replaced when the call is made
	}
	var next atomic.Int64
	b.inParallel(min(b.workers(), len(outcomes)), func() {
		for i := next.Add(1) - 1; i < int64(len(outcomes)); i = next.Add(1) - 1 {
			outcomes[i].do(ctx, call)
		}
	})
	return outcomes
}

// minPause is the pause of a worker after a call that took no time. Without it the clock of a
// testing/synctest bubble would stand still for ever.
const minPause = time.Millisecond

func (b Batch) doFor(ctx context.Context, call func(context.Context) (status int, err error)) (outcomes []Outcome) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer time.AfterFunc(b.For, cancel).Stop() //nolint:forbidigo // a workload takes time
	var mu sync.Mutex                          // guards outcomes
	b.inParallel(b.workers(), func() {
		for ctx.Err() == nil {
			var o Outcome
			o.do(ctx, call)
			if ctx.Err() != nil {
				return
			}
			mu.Lock()
			outcomes = append(outcomes, o)
			mu.Unlock()
			if o.End.Equal(o.Start) {
				_ = memhttp.Sleep(ctx, minPause) // an error means the end, which the loop checks
			}
		}
	})
	return outcomes
}

// Send is Do with copies of req, sent by client, with the context of req. GetBody returns the Body of each
// copy; if req has a Body and no GetBody, every call fails.
func (b Batch) Send(client *http.Client, req *http.Request) []Outcome {
	return b.Do(req.Context(), sender(client, req))
}

func (b Batch) workers() int { return max(b.Workers, 1) }

func (b Batch) inParallel(workers int, work func()) {
	var all sync.WaitGroup
	for range workers {
		all.Go(work)
	}
	all.Wait()
}

// do makes a call and fills in its Outcome. Err remains errNotReturned if the call ends its goroutine, as
// testing.T.FailNow does.
func (o *Outcome) do(ctx context.Context, call func(context.Context) (int, error)) {
	o.Start, o.Err = clock(), errNotReturned
	defer func() { o.End = clock() }()
	o.Status, o.Err = call(ctx)
}

// sender returns a call that sends a copy of req and reads the response to its end.
func sender(client *http.Client, req *http.Request) func(context.Context) (int, error) {
	return func(ctx context.Context) (int, error) {
		again := req.Clone(ctx)
		if req.Body != nil && req.Body != http.NoBody {
			if req.GetBody == nil {
				return 0, errNoGetBody
			}
			var err error
			if again.Body, err = req.GetBody(); err != nil {
				return 0, err
			}
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
