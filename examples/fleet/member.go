package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/fleet"
	"github.com/headway-go/headway/fleet/redisfleet"
	"github.com/headway-go/headway/ratelimittest"
)

// Orders are what a process reads from its standard input. It works until its input ends.
type orders struct {
	API   string // a URL
	Store string // a folder, or the URL of a Redis server, which may have a password
	Key   []byte // of the fleet
}

// A report is what a process did. It writes the report to its standard output.
type report struct {
	Served, Refused, Failed int // requests sent

	// Members is the number of processes that share the quota at the end, including this one. It is 0 if the
	// shares are not agreed on.
	Members int
}

const (
	credential = "of-all-of-them" // all processes use the same API key
	memberArg  = "member"         // the only argument of a process of the fleet
)

func isMember(args []string) bool { return len(args) == 2 && args[1] == memberArg }

// member runs one process of the fleet.
func member(in io.Reader, out io.Writer) error {
	var o orders
	if err := json.NewDecoder(in).Decode(&o); err != nil {
		return fmt.Errorf("orders: %w", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, in) // until the input ends or fails
		stop()
	}()
	r, err := work(ctx, o)
	return errors.Join(err, json.NewEncoder(out).Encode(r))
}

// work sends as much as it may until ctx ends.
func work(ctx context.Context, o orders) (report, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, o.API, nil)
	if err != nil {
		return report{}, err
	}
	req.Header.Set("Authorization", "Bearer "+credential)
	f, err := o.join()
	if err != nil {
		return report{}, err
	}

	var w wire
	transport := &headway.Transport{Base: &w, Fleet: f}
	ratelimittest.Batch{For: time.Hour, Workers: 4}.Send(&http.Client{Transport: transport}, req)

	r := report{Served: int(w.served.Load()), Refused: int(w.refused.Load()), Failed: int(w.failed.Load())}
	for _, partition := range transport.State() { // there is one
		r.Members = partition.Members
	}
	return r, f.Close()
}

// join returns the process's Fleet.
func (o *orders) join() (*fleet.Fleet, error) {
	if !strings.Contains(o.Store, "://") {
		return fleet.Local(o.Store, fleet.Options{Key: o.Key})
	}
	options, err := redis.ParseURL(o.Store)
	if err != nil {
		return nil, errors.New("$REDIS_URL is not the URL of a Redis server") // the cause would have the URL
	}
	return redisfleet.New(redis.NewClient(options), redisfleet.Options{Key: o.Key})
}

// A wire counts the requests that are sent. It does not cancel them, so that the server's count and the
// process's agree.
type wire struct{ served, refused, failed atomic.Int64 }

// RoundTrip implements http.RoundTripper.
func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := http.DefaultTransport.RoundTrip(req.WithContext(context.WithoutCancel(req.Context())))
	switch {
	case err != nil:
		w.failed.Add(1)
	case resp.StatusCode == http.StatusTooManyRequests:
		w.refused.Add(1)
	default:
		w.served.Add(1)
	}
	return resp, err
}
