// Pool shows how requests go through three keys of one API. It starts three servers with limits of their own, as three
// installations have, and sends more requests than they allow. One key is revoked in the middle, and valid again later.
//
//	go run ./examples/pool
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/signal"
	"sync"
	"time"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/pool"
	"github.com/headway-go/headway/ratelimittest"
)

// What happens, and how long it takes.
const (
	window  = 5 * time.Second // of all limits
	revoked = 8 * time.Second // when the key is revoked
	valid   = 14 * time.Second
	end     = 22 * time.Second
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	keys := newKeys()
	for _, k := range keys {
		server := httptest.NewServer(k)
		defer server.Close()
		k.url, _ = url.Parse(server.URL) // which is valid
	}
	if err := show(ctx, os.Stdout, keys); err != nil {
		fmt.Fprintln(os.Stderr, "pool:", err)
		os.Exit(1)
	}
}

// newKeys returns a key for each of three limiters.
func newKeys() []*key {
	per := func(quota int64) ratelimittest.Policy { return ratelimittest.Per(quota, window) }
	return []*key{
		{name: "north", quota: 60, server: &ratelimittest.Handler{
			Limiter: &ratelimittest.FixedWindow{Policy: per(60)}, Dialect: ratelimittest.Draft10,
		}},
		{name: "south", quota: 40, server: &ratelimittest.Handler{
			Limiter: &ratelimittest.SlidingLog{Policy: per(40)}, Dialect: ratelimittest.Trio,
		}},
		{name: "west", quota: 20, server: &ratelimittest.Handler{
			Limiter: &ratelimittest.FixedWindow{Policy: per(20)}, Dialect: ratelimittest.XRateLimit,
		}},
	}
}

// A key is a key of an installation, and the installation's server.
type key struct {
	name   string
	quota  int // requests per window
	url    *url.URL
	base   http.RoundTripper // the way to the server; nil: over real HTTP
	server *ratelimittest.Handler

	mu        sync.Mutex
	isRevoked bool
	denied    ratelimittest.Arrivals // with status 401
}

// ServeHTTP implements http.Handler.
func (k *key) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	k.mu.Lock()
	isDenied := k.isRevoked || req.Header.Get("Authorization") != "Bearer key-of-"+k.name
	if isDenied {
		k.denied = append(k.denied, ratelimittest.Arrival{Time: time.Now()})
	}
	k.mu.Unlock()
	if isDenied {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	k.server.ServeHTTP(w, req)
}

func (k *key) revoke(isRevoked bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.isRevoked = isRevoked
}

// member is what a program writes for each of its keys.
func (k *key) member() pool.Member {
	return pool.Member{
		Name: k.name,
		Prepare: func(req *http.Request) {
			req.URL.Scheme, req.URL.Host, req.Host = k.url.Scheme, k.url.Host, ""
			req.Header.Set("Authorization", "Bearer key-of-"+k.name)
		},
		Transport: &headway.Transport{Base: k.base},
	}
}

// show sends requests through all keys until the end, and draws where they went.
func show(ctx context.Context, out io.Writer, keys []*key) error {
	var p pool.Transport
	for _, k := range keys {
		p.Members = append(p.Members, k.member())
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://any.example/things", nil)
	if err != nil {
		return err
	}
	begun, south := time.Now(), keys[1]
	defer time.AfterFunc(revoked, func() { south.revoke(true) }).Stop()
	defer time.AfterFunc(valid, func() { south.revoke(false) }).Stop()
	outcomes := ratelimittest.Batch{For: end, Workers: 16}.Send(&http.Client{Transport: &p}, req)
	if ctx.Err() != nil {
		return errors.New("stopped")
	}
	r := result{keys: keys, begun: begun}
	for _, o := range outcomes {
		if o.Err != nil || o.Status != http.StatusOK {
			r.failed++
		}
	}
	_, err = io.WriteString(out, r.picture()+"\n"+r.table())
	return err
}
