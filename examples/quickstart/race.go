package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/headway-go/headway/ratelimittest"
)

// A contender is a client, and the server to which it sends the batch.
type contender struct {
	name, about string
	first       string // the picture's remark on the first requests
	client      *http.Client
	url         string
	log         *ratelimittest.Handler // of the server
}

// A result is the result of a contender's batch.
type result struct {
	contender
	begun    time.Time
	took     time.Duration          // until the last response
	arrivals ratelimittest.Arrivals // at the server
	outcomes []ratelimittest.Outcome
}

// race sends the batch through all contenders at the same time.
func race(ctx context.Context, batch ratelimittest.Batch, contenders []contender) []result {
	results := make([]result, len(contenders))
	var running sync.WaitGroup
	for i, c := range contenders {
		running.Go(func() { results[i] = c.send(ctx, batch) })
	}
	running.Wait()
	return results
}

func (c contender) send(ctx context.Context, batch ratelimittest.Batch) result {
	begun := time.Now()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url, nil)
	if err != nil {
		return result{contender: c, begun: begun, outcomes: []ratelimittest.Outcome{{Err: err}}}
	}
	outcomes := batch.Send(c.client, req)
	return result{contender: c, begun: begun, took: time.Since(begun), arrivals: c.log.Arrivals(), outcomes: outcomes}
}

// failures returns an error for contenders with failed requests; nil if there are none.
func failures(results []result) error {
	var all []error
	for _, r := range results {
		var failed []error
		for _, o := range r.outcomes {
			if err := failure(o); err != nil {
				failed = append(failed, err)
			}
		}
		if len(failed) > 0 {
			all = append(all, fmt.Errorf("%s: %d of %d requests failed, one of them: %w", r.name, len(failed), len(r.outcomes), failed[0]))
		}
	}
	return errors.Join(all...)
}

func failure(o ratelimittest.Outcome) error {
	if o.Err == nil && o.Status != http.StatusOK {
		return fmt.Errorf("status %d", o.Status)
	}
	return o.Err
}
