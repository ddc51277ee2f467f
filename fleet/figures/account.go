//go:build unix

package main

import (
	"context"
	"net/http"
	"runtime"
	"sync"
	"time"

	"github.com/headway-go/headway"
)

// An outcome is what became of a call.
type outcome string

const (
	served    outcome = "served"
	throttled outcome = "throttled" // handed back after the last resend
	refused   outcome = "refused"   // by headway: never sent
	cancelled outcome = "cancelled" // it waited when the time was over
	failed    outcome = "failed"
)

// An account is what a member tells of itself at its end.
type account struct {
	Member   string
	Calls    int
	Outcomes map[outcome]int
	Sent     int      // requests, resends included
	Errors   []string // the first of calls that failed or were refused

	Lost, Found int // how often the store could not be reached any more, and could be again

	Before, Most, Left int           // goroutines: before there was anything, the most, and after all was closed
	Closing            time.Duration // what Close of the fleet took
	Farewell           string        // its error

	mu sync.Mutex
}

// call is the number of a new call.
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

// reached is told of the store by headway.
func (a *account) reached(info headway.FleetInfo) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if info.Err != nil {
		a.Lost++
	} else {
		a.Found++
	}
}

// watch counts goroutines until ctx ends.
func (a *account) watch(ctx context.Context) {
	for sleep(ctx, 50*time.Millisecond) {
		a.Most = max(a.Most, runtime.NumGoroutine())
	}
}

// rest counts what is left of goroutines. Those of closed connections have a while to end.
func (a *account) rest() {
	for range 200 {
		if a.Left = max(0, runtime.NumGoroutine()-a.Before); a.Left == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// A wire counts what is sent, and sees it through: what has been sent when the time is over
// is answered, so that the server and its clients agree on what happened.
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
