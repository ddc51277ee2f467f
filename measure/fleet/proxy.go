//go:build unix

package main

import (
	"context"
	"math/rand/v2"
	"net"
	"sync"
	"time"

	"github.com/headway-go/headway/measure/internal/loopback"
)

// A proxy stands between a process and the store, at a constant address.
type proxy struct {
	target, addr string

	mu       sync.Mutex
	listener net.Listener          // nil while the proxy is closed
	conns    map[net.Conn]struct{} // the open ones, on both sides
	delay    time.Duration         // added to a round trip
	lifetime time.Duration         // of connections that are not dropped at once; 0: none is dropped
	refused  int                   // connections that were dropped at once
	running  sync.WaitGroup
}

func newProxy(target string) (*proxy, error) {
	p := &proxy{target: target, addr: loopback.Any, conns: make(map[net.Conn]struct{})}
	return p, p.open()
}

// open begins to accept connections.
func (p *proxy) open() error {
	listener, err := loopback.Listen(p.addr)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.addr, p.listener = listener.Addr().String(), listener
	p.running.Go(func() { p.accept(listener) })
	return nil
}

// close cuts all connections and refuses others, until the proxy is opened again.
func (p *proxy) close() {
	p.mu.Lock()
	if p.listener != nil {
		_ = p.listener.Close()
		p.listener = nil
	}
	for conn := range p.conns {
		_ = conn.Close()
	}
	p.mu.Unlock()
	p.running.Wait()
}

// worsen delays all data, drops half of the connections at once, and the others after lifetime.
func (p *proxy) worsen(delay, lifetime time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.delay, p.lifetime = delay, lifetime
}

func (p *proxy) accept(listener net.Listener) {
	for {
		client, err := listener.Accept()
		if err != nil {
			return
		}
		if p.drops() || !p.keep(client) {
			_ = client.Close()
			continue
		}
		p.running.Go(func() { p.carry(client) })
	}
}

func (p *proxy) drops() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	drops := p.lifetime > 0 && rand.IntN(2) == 0
	if drops {
		p.refused++
	}
	return drops
}

// dropped returns the number of connections that were dropped at once.
func (p *proxy) dropped() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.refused
}

// keep registers a connection, which close will cut. It returns false if the proxy is closed already.
func (p *proxy) keep(conn net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listener == nil {
		return false
	}
	p.conns[conn] = struct{}{}
	return true
}

func (p *proxy) cut(conn net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = conn.Close()
	delete(p.conns, conn)
}

// carry forwards data between client and store, until either closes.
func (p *proxy) carry(client net.Conn) {
	defer p.cut(client)
	var d net.Dialer
	server, err := d.DialContext(context.Background(), "tcp", p.target)
	if err != nil {
		return
	}
	defer p.cut(server)
	if !p.keep(server) {
		return
	}
	p.mu.Lock()
	delay, lifetime := p.delay, p.lifetime
	p.mu.Unlock()
	if lifetime > 0 {
		defer time.AfterFunc(lifetime, func() { _ = client.Close() }).Stop()
	}
	var there sync.WaitGroup
	there.Go(func() {
		pipe(server, client, delay/2)
		_, _ = server.Close(), client.Close()
	})
	pipe(client, server, delay/2)
	_, _ = server.Close(), client.Close()
	there.Wait()
}

// A parcel is data with the time at which it is due on the other side.
type parcel struct {
	due  time.Time
	data []byte
}

// pipe forwards data after a delay, until reading fails.
func pipe(to, from net.Conn, delay time.Duration) {
	parcels := make(chan parcel, 64)
	var delivered sync.WaitGroup
	delivered.Go(func() {
		for x := range parcels {
			time.Sleep(time.Until(x.due))
			_, _ = to.Write(x.data) // if writing fails, so does reading
		}
	})
	for {
		buffer := make([]byte, 32<<10)
		n, err := from.Read(buffer)
		if n > 0 {
			parcels <- parcel{time.Now().Add(delay), buffer[:n]}
		}
		if err != nil {
			break
		}
	}
	close(parcels)
	delivered.Wait()
}
