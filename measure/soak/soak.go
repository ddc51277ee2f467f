package main

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/headway-go/headway/internal/test/page"
	"github.com/headway-go/headway/measure/internal/loopback"
)

// errViolated is the error of run if there were violations.
var errViolated = errors.New("something was not as it must be")

var errUncounted = errors.New("timers cannot be counted: runtime.MemProfileRate is not 1")

// A soak is one run.
type soak struct {
	length, every          time.Duration
	seed                   uint64
	out                    io.Writer
	write                  page.Folder // gets the page if there are no violations; "": none does
	stormEvery, stormLasts time.Duration
	restartEvery, downFor  time.Duration
	patience               time.Duration                             // the longest time that the last requests may take
	tamper                 func(http.RoundTripper) http.RoundTripper // breaks the transport in a test; nil: does not

	begun          time.Time
	lasted         time.Duration // how long requests were made
	made           atomic.Uint64
	gate           sync.RWMutex // read-locked during a request, locked during a rest
	ledger         *ledger
	parties        []*party
	plain, secure  *server
	storm          storm
	storms, starts int
	dialed         tally  // connections
	ours, theirs   tally  // open bodies of requests, before and after net/http gets them
	idle           gauges // before the first request
	samples        []gauges
}

// run soaks until the time is over or ctx ends, and prints the results.
func (s *soak) run(ctx context.Context) error {
	if runtime.MemProfileRate != 1 {
		return errUncounted
	}
	s.begun = time.Now()
	certificate := httptest.NewTLSServer(nil)
	roots := certificate.Client().Transport.(*http.Transport).TLSClientConfig
	s.plain, s.secure = &server{}, &server{tls: &tls.Config{Certificates: certificate.TLS.Certificates, NextProtos: []string{"h2"}}}
	certificate.Close()
	s.ledger = newLedger(s.outage)
	s.parties = newParties()
	handler := serve(s.parties, s.ledger, &s.storm)
	for _, server := range s.servers() {
		server.handler = handler
	}
	s.idle = s.sample()
	for _, server := range s.servers() {
		if err := server.start(); err != nil {
			return err
		}
	}
	s.soak(ctx, roots)
	s.end()
	return s.summarize()
}

func (s *soak) servers() []*server { return []*server{s.plain, s.secure} }

// serverOf returns the server of a party.
func (s *soak) serverOf(p *party) *server {
	if p.http2 {
		return s.secure
	}
	return s.plain
}

// outage reports whether the party's server was down at any time in between.
func (s *soak) outage(p *party, from, to time.Time) bool { return s.serverOf(p).wasDown(from, to) }

// soak makes requests until the time is over, and waits for the last ones.
func (s *soak) soak(ctx context.Context, roots *tls.Config) {
	more, stop := context.WithTimeout(ctx, s.length)
	defer stop()
	requests, give := context.WithCancel(context.Background())
	defer give()
	var trouble, workers sync.WaitGroup
	trouble.Go(func() { s.storming(more) })
	trouble.Go(func() { s.restarting(more) })
	trouble.Go(func() { s.watching(more, give) })
	for _, p := range s.parties {
		c := s.newClient(p, roots)
		if s.tamper != nil {
			c.http.Transport = s.tamper(c.http.Transport)
		}
		for range p.workers {
			workers.Go(func() { c.work(requests, more) })
		}
	}
	<-more.Done()
	s.lasted = time.Since(s.begun).Round(time.Second)
	trouble.Wait()
	defer time.AfterFunc(s.patience, give).Stop()
	workers.Wait()
}

// storming begins storms now and then.
func (s *soak) storming(ctx context.Context) {
	for loopback.Sleep(ctx, s.stormEvery); ctx.Err() == nil; loopback.Sleep(ctx, s.stormEvery) {
		s.storm.kind.Store(kindOf(s.storms))
		s.storms++
		loopback.Sleep(ctx, s.stormLasts)
		s.storm.kind.Store(calm)
	}
}

// restarting restarts one server after the other, gracefully or not.
func (s *soak) restarting(ctx context.Context) {
	for loopback.Sleep(ctx, s.restartEvery); ctx.Err() == nil; loopback.Sleep(ctx, s.restartEvery) {
		server, graceful := s.servers()[s.starts%2], s.starts/2%2 == 1
		s.starts++
		if err := server.restart(ctx, graceful, s.downFor); err != nil {
			s.ledger.violate("%v", err)
			return
		}
	}
}
