//go:build unix

package main

import (
	"context"
	"syscall"
	"time"

	"github.com/headway-go/headway/measure/internal/loopback"
)

// A fault is a failure of the store, or of the network to it.
type fault struct {
	name        string
	description string        // a description for the document
	lasts       time.Duration // 0: for the whole run
	proxied     bool          // each process reaches the store through a proxy
	kills       bool          // members, whose accounts are lost

	begin, end func(context.Context, *scene) error
}

const (
	farAway  = 200 * time.Millisecond // added to a round trip
	lifetime = 3 * time.Second        // of connections that are not dropped at once
)

func (d durations) all() []fault {
	return []fault{
		{
			name: "killed", description: "redis-server is killed with SIGKILL, and started again, empty, " + d.down.String() + " later", lasts: d.down,
			begin: func(_ context.Context, s *scene) error { return s.store.kill() },
			end:   func(ctx context.Context, s *scene) error { return s.store.start(ctx) },
		},
		{
			name: "paused", description: "redis-server is stopped for " + d.paused.String() + " (SIGSTOP, SIGCONT)", lasts: d.paused,
			begin: func(_ context.Context, s *scene) error { return s.store.signal(syscall.SIGSTOP) },
			end:   func(_ context.Context, s *scene) error { return s.store.signal(syscall.SIGCONT) },
		},
		{
			name: "bad network", proxied: true,
			description: "during the whole run a proxy adds " + farAway.String() + " to each round trip. It drops half of the connections at once, and the others after " + lifetime.String(),
			begin: func(_ context.Context, s *scene) error {
				for _, p := range s.proxies {
					p.worsen(farAway, lifetime)
				}
				return nil
			},
		},
		{
			name: "one cut off", description: "one process cannot reach the store for " + d.cutOff.String(), lasts: d.cutOff, proxied: true,
			begin: func(_ context.Context, s *scene) error { s.proxies[0].close(); return nil },
			end:   func(_ context.Context, s *scene) error { return s.proxies[0].open() },
		},
	}
}

// inject begins the fault at the given time, and ends it.
func (f *fault) inject(ctx context.Context, s *scene, at time.Time) error {
	if f.begin == nil {
		return nil
	}
	if f.lasts == 0 {
		return f.begin(ctx, s)
	}
	if !loopback.Sleep(ctx, time.Until(at)) {
		return ctx.Err()
	}
	if err := f.begin(ctx, s); err != nil {
		return err
	}
	if !loopback.Sleep(ctx, time.Until(at.Add(f.lasts))) {
		return ctx.Err()
	}
	return f.end(ctx, s)
}
