//go:build unix

package main

import (
	"context"
	"math/rand/v2"
	"net"
	"sync"
	"time"
)

// A proxy stands between a process and the store, always at the same address.
type proxy struct {
	target, addr string

	mu       sync.Mutex
	listener net.Listener          // nil while it is closed
	conns    map[net.Conn]struct{} // those that are open, on both sides
	delay    time.Duration         // added to a round trip
	lifetime time.Duration         // of connections that are not dropped at once; 0: none are dropped
	refused  int                   // connections that were dropped at once
	running  sync.WaitGroup
}

func newProxy(target string) (*proxy, error) {
	p := &proxy{target: target, addr: "127.0.0.1:0", conns: make(map[net.Conn]struct{})}
	return p, p.open()
}

// open lets connections through.
func (p *proxy) open() error {
	var listener net.Listener
	var err error
	for range 50 {
		var config net.ListenConfig
		if listener, err = config.Listen(context.Background(), "tcp", p.addr); err == nil {
			break
		}
		time.Sleep(20 * time.Millisecond) // somebody else's connection may have the port
	}
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.addr, p.listener = listener.Addr().String(), listener
	p.running.Go(func() { p.accept(listener) })
	return nil
}

// close cuts all connections and refuses others, until it is opened again.
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

// worsen delays what goes through, drops half of the connections at once and the
// others after a while.
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

// dropped is how many connections were dropped at once.
func (p *proxy) dropped() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.refused
}

// keep has a connection cut when the proxy closes. It returns false if it is closed.
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

// carry has two connections be one, until either is closed.
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

// A parcel is what was read, and when it is due on the other side.
type parcel struct {
	due  time.Time
	data []byte
}

// pipe hands on what it reads, some time later, until it cannot.
func pipe(to, from net.Conn, delay time.Duration) {
	parcels := make(chan parcel, 64)
	var delivered sync.WaitGroup
	delivered.Go(func() {
		for x := range parcels {
			time.Sleep(time.Until(x.due))
			_, _ = to.Write(x.data) // if it fails, so does reading
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
