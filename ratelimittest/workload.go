package ratelimittest

import (
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

// A Batch is a workload: a number of requests that are all there from the start
// and sent as fast as the client lets them go. Zero or negative Requests: none.
// Zero or negative Workers: one.
type Batch struct {
	Requests int // in all
	Workers  int // how many are sent, or wait to be, at a time
}

// A Schedule is a workload that does not wait for its responses: each request
// is made at its time, counted from the start of the workload, whatever became
// of those before. The times ascend.
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

// An Outcome is what became of one request of a workload, from the client's
// point of view.
type Outcome struct {
	Start  time.Time // when the client was asked to send it
	End    time.Time // when the response's body had been read, or the error came
	Status int       // of the response; 0 if none came
	Err    error     // of http.Client.Do, or of reading the body
}

// Send sends copies of req through client and returns what became of each once
// all are over, in no particular order. The context of req is that of all. A
// Body is replayed through GetBody; without it every Err is ErrNoGetBody.
func (b Batch) Send(client *http.Client, req *http.Request) []Outcome {
	outcomes := make([]Outcome, max(b.Requests, 0))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(b.workers(), len(outcomes)) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(outcomes)); i = next.Add(1) - 1 {
				outcomes[i] = send(client, req)
			}
		})
	}
	workers.Wait()
	return outcomes
}

// Send is like Batch.Send; the Outcomes are in the order of s. When the context
// of req is done, the requests that are still to come fail with its cause.
func (s Schedule) Send(client *http.Client, req *http.Request) []Outcome {
	outcomes := make([]Outcome, len(s))
	begun := clock()
	var requests sync.WaitGroup
	for i, at := range s {
		if err := sleep(req.Context(), at-clock().Sub(begun)); err != nil {
			outcomes[i] = Outcome{Start: clock(), End: clock(), Err: err}
			continue
		}
		requests.Go(func() { outcomes[i] = send(client, req) })
	}
	requests.Wait()
	return outcomes
}

func (b Batch) workers() int { return max(b.Workers, 1) }

func send(client *http.Client, req *http.Request) (o Outcome) {
	o.Start = clock()
	defer func() { o.End = clock() }()
	req, o.Err = replay(req)
	if o.Err != nil {
		return o
	}
	resp, err := client.Do(req)
	if err != nil {
		o.Err = err
		return o
	}
	_, o.Err = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close() // it has been read
	o.Status = resp.StatusCode
	return o
}

// replay returns a copy of req with a Body of its own.
func replay(req *http.Request) (*http.Request, error) {
	again := req.Clone(req.Context())
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
