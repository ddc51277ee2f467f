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
)

// errViolated is what run returns if anything was not as it must be.
var errViolated = errors.New("something was not as it must be")

var errUncounted = errors.New("timers cannot be counted: runtime.MemProfileRate is not 1")

// A soak is one run.
type soak struct {
	length, every          time.Duration
	seed                   uint64
	out                    io.Writer
	write                  string // the file to which the report goes too if nothing is wrong; "": none
	stormEvery, stormLasts time.Duration
	restartEvery, downFor  time.Duration
	patience               time.Duration                             // how long things have to come to an end when no more requests are made
	tamper                 func(http.RoundTripper) http.RoundTripper // by which a test breaks it; nil: nothing does

	begun          time.Time
	lasted         time.Duration // until no more requests were made
	made           atomic.Uint64
	gate           sync.RWMutex // held by who makes a request, and by who lets all come to rest
	ledger         *ledger
	parties        []*party
	plain, secure  *server
	storm          storm
	storms, starts int
	dialed         tally  // connections
	ours, theirs   tally  // bodies of requests, before and after they are handed to net/http
	idle           gauges // before there was anything
	samples        []gauges
}

// run soaks until the time is over or ctx ends, and prints what came of it.
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

// serverOf returns the one that the party's requests go to.
func (s *soak) serverOf(p *party) *server {
	if p.http2 {
		return s.secure
	}
	return s.plain
}

// outage reports whether the party's server was down at any time between.
func (s *soak) outage(p *party, from, to time.Time) bool { return s.serverOf(p).wasDown(from, to) }

// soak has requests made until the time is over, and waits for the last of them.
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

// storming has the servers refuse everything now and then.
func (s *soak) storming(ctx context.Context) {
	for sleep(ctx, s.stormEvery); ctx.Err() == nil; sleep(ctx, s.stormEvery) {
		s.storm.kind.Store(kindOf(s.storms))
		s.storms++
		sleep(ctx, s.stormLasts)
		s.storm.kind.Store(calm)
	}
}

// restarting restarts one server after the other, gracefully and not.
func (s *soak) restarting(ctx context.Context) {
	for sleep(ctx, s.restartEvery); ctx.Err() == nil; sleep(ctx, s.restartEvery) {
		server, graceful := s.servers()[s.starts%2], s.starts/2%2 == 1
		s.starts++
		if err := server.restart(ctx, graceful, s.downFor); err != nil {
			s.ledger.violate("%v", err)
			return
		}
	}
}
