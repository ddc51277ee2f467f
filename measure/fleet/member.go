//go:build unix

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/fleet"
	"github.com/headway-go/headway/fleet/redisfleet"
)

// memberEnv contains the orders of a process that is started as a member of the fleet.
const memberEnv = "HEADWAY_FLEET_MEMBER"

const (
	memberHeader = "Figures-Member"
	callHeader   = "Figures-Call"
)

// orders say what a member has to do.
type orders struct {
	Name    string
	URL     string
	Store   string // the address of a store, or a folder; "": the member uses headers alone
	Workers int
	Until   time.Time // when it stops making calls
}

func isMember() bool { return os.Getenv(memberEnv) != "" }

// runMember runs a member, writes its account to the standard output, and returns the exit status.
func runMember() int {
	var o orders
	if err := json.Unmarshal([]byte(os.Getenv(memberEnv)), &o); err != nil {
		fmt.Fprintln(os.Stderr, "fleet: orders:", err)
		return 2
	}
	a, err := o.work()
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(a)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "fleet: member", o.Name+":", err)
		return 1
	}
	return 0
}

// work makes calls as ordered and returns their account.
func (o *orders) work() (*account, error) {
	a := &account{Member: o.Name, Before: runtime.NumGoroutine()}
	connections := &http.Transport{MaxIdleConnsPerHost: o.Workers}
	limited := &headway.Transport{Base: &wire{base: connections, account: a}, Trace: &headway.Trace{Fleet: a.reached}}
	end := func() error { return nil }
	if o.Store != "" {
		shared, err := o.join()
		if err != nil {
			return nil, err
		}
		limited.Fleet, end = shared, shared.Close
	}
	ctx, cancel := context.WithDeadline(context.Background(), o.Until)
	defer cancel()
	var all sync.WaitGroup
	if o.Workers > 0 { // watching takes more time than an idle member has
		all.Go(func() { a.watch(ctx) })
	}
	client := &http.Client{Transport: limited}
	a.ended(o.call(ctx, client, a.call()))
	begun := cpuTime()
	if o.Workers == 0 {
		<-ctx.Done()
	}
	for range o.Workers {
		all.Go(func() {
			for ctx.Err() == nil {
				a.ended(o.call(ctx, client, a.call()))
			}
		})
	}
	all.Wait()
	a.CPU = cpuTime() - begun
	closing := time.Now()
	if err := end(); err != nil {
		a.CloseError = err.Error()
	}
	a.CloseTime = time.Since(closing)
	connections.CloseIdleConnections()
	a.rest()
	return a, nil
}

// cpuTime returns the processor time that this process has used.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// join returns the member's Fleet.
func (o *orders) join() (*fleet.Fleet, error) {
	if filepath.IsAbs(o.Store) {
		return fleet.Local(o.Store, fleet.Options{})
	}
	redis.SetLogger(silent{})
	client := redis.NewClient(&redis.Options{Addr: o.Store})
	return redisfleet.New(client, redisfleet.Options{Key: []byte("of no use to anybody else")})
}

// silent drops the log of the store's client, which has a line for each failed connection.
type silent struct{}

func (silent) Printf(context.Context, string, ...any) {}

// call makes one call and returns its outcome. The call is cancelled at the end of the run, but has no
// deadline, as headway would refuse calls that cannot be sent before it.
func (o *orders) call(until context.Context, client *http.Client, number int) (outcome, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	defer context.AfterFunc(until, cancel)()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, o.URL, nil)
	if err != nil {
		return failed, err
	}
	req.Header.Set("Authorization", "Bearer of all")
	req.Header.Set(memberHeader, o.Name)
	req.Header.Set(callHeader, strconv.Itoa(number))
	resp, err := client.Do(req)
	if err != nil {
		var limit *headway.LimitError
		switch {
		case errors.As(err, &limit):
			return refused, err
		case ctx.Err() != nil:
			return cancelled, nil
		}
		return failed, err
	}
	defer func() { _ = resp.Body.Close() }() // it was read to its end
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return failed, err
	}
	switch resp.StatusCode {
	case http.StatusOK:
		return served, nil
	case http.StatusTooManyRequests:
		return throttled, nil
	}
	return failed, fmt.Errorf("status %d", resp.StatusCode)
}
