//go:build unix

package main

import (
	"context"
	"net/http"
	"runtime"
	"sync"
	"time"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/measure/internal/loopback"
)

// An outcome is how a call ended.
type outcome string

const (
	served    outcome = "served"
	throttled outcome = "throttled" // the last response was a 429
	refused   outcome = "refused"   // by headway: never sent
	cancelled outcome = "cancelled" // still waiting at the end of the run
	failed    outcome = "failed"
)

// An account is a member's own count of its calls.
type account struct {
	Member   string
	Calls    int
	Outcomes map[outcome]int
	Sent     int      // requests, resends included
	Errors   []string // the first errors of calls

	Lost, Found int // how often the store was lost, and found again

	CPU time.Duration // of the process, from its first response on

	Before, Most, Left int           // goroutines: at the start, at most, and at the end
	CloseTime          time.Duration // how long the fleet's Close took
	CloseError         string        // the error of closing

	mu sync.Mutex
}

// call returns the number of a new call.
func (a *account) call() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.Calls++
	return a.Calls
}

const keepErrors = 5

func (a *account) ended(o outcome, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.Outcomes == nil {
		a.Outcomes = make(map[outcome]int)
	}
	a.Outcomes[o]++
	if err != nil && len(a.Errors) < keepErrors {
		a.Errors = append(a.Errors, err.Error())
	}
}

// reached is the Trace's hook for the store.
func (a *account) reached(info headway.FleetInfo) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case info.Lost:
		a.Lost++
	case info.Err == nil:
		a.Found++
	}
}

// watch notes the largest number of goroutines until ctx ends.
func (a *account) watch(ctx context.Context) {
	for loopback.Sleep(ctx, 50*time.Millisecond) {
		a.Most = max(a.Most, runtime.NumGoroutine())
	}
}

// rest counts the goroutines that remain. Goroutines of closed connections get two seconds to end.
func (a *account) rest() {
	for range 200 {
		if a.Left = max(0, runtime.NumGoroutine()-a.Before); a.Left == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// A wire counts the requests that are sent. It does not cancel them at the end of the run, so that the
// server's count and the members' agree.
type wire struct {
	base    http.RoundTripper
	account *account
}

func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	w.account.mu.Lock()
	w.account.Sent++
	w.account.mu.Unlock()
	return w.base.RoundTrip(req.WithContext(context.WithoutCancel(req.Context())))
}
