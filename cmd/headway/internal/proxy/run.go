package proxy

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Bounds for clients of the proxy, besides Config.MaxConnections.
const (
	headTimeout = 10 * time.Second // for the fields of a request
	idleTimeout = 2 * time.Minute  // between two requests of a connection
	mostHead    = 64 << 10         // bytes of the fields of a request
)

const saveEvery = time.Minute // between two snapshots

// RefusalTime is the time after Config.Grace in which the remaining requests are refused.
const RefusalTime = 5 * time.Second

// patience is how long the end of the proxy cannot be hurried. Whoever sends a signal to a process and to its group, as
// timeout does, means one.
const patience = time.Second

// Run serves until ctx ends or SIGINT or SIGTERM comes, and then ends in order: up to Config.Drain with new requests, up to
// Config.Grace for those that were begun, and a 503 for those that still wait then. A second signal has its usual effect. At
// SIGHUP it reads the configuration again, with load, and sets level, which is that of log. It returns nil at its end, and an
// error if the proxy cannot begin or go on. log gets a line for each start, reload, hold, refusal and end, and for what goes wrong.
func Run(ctx context.Context, c Config, load func() (Config, error), log *slog.Logger, level *slog.LevelVar) error {
	ctx, restore := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer restore()
	afterPatience(ctx, restore)
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)

	limitMemory()
	p, err := build(c, log)
	if err != nil {
		return err
	}
	defer p.close()
	p.hangups, p.load, p.level = hangups, load, level
	listener, err := listenAt(ctx, p.config.Listen)
	if err != nil {
		return err
	}
	if p.admin, err = listenAt(ctx, p.config.AdminListen); err != nil {
		return errors.Join(fmt.Errorf("admin-listen: %w", err), listener.Close())
	}
	return p.serve(ctx, listener)
}

func afterPatience(ctx context.Context, restore func()) {
	context.AfterFunc(ctx, func() { time.AfterFunc(patience, restore) })
}

// serve serves the clients of a listener until ctx ends.
func (p *proxy) serve(ctx context.Context, listener net.Listener) error {
	p.address, _ = listener.Addr().(*net.TCPAddr)
	requests, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer end(nil)
	p.clients.Listener = listener
	s := p.newServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { p.server.Load().ServeHTTP(w, r) }))
	s.BaseContext = func(net.Listener) context.Context { return requests }
	s.ConnState = p.clients.watch
	p.started(listener.Addr())
	failed := make(chan error, 2)
	if p.admin != nil {
		admin := p.newServer(p.ownPages())
		admin.ReadTimeout = leastIdle     // content, which no page has, would keep its place for ever
		admin.SetKeepAlivesEnabled(false) // as would a client that asks again and again and takes no answer
		places := newConnections(mostAdmins, func() {})
		places.Listener, admin.ConnState = p.admin, places.watch
		defer func() { _ = admin.Close() }() // last, since it says that the proxy is alive
		go func() { failed <- admin.Serve(places) }()
	}
	go func() { failed <- s.Serve(p.withTLS(p.clients)) }()
	minute := time.NewTicker(saveEvery)
	defer minute.Stop()
	for {
		select {
		case err := <-failed:
			p.save()
			return errors.Join(err, s.Close())
		case <-minute.C:
			p.save()
			p.sweep()
		case <-p.hangups:
			p.reload()
		case <-ctx.Done():
			p.stop(s, end)
			p.save()
			p.log.Info("stopped")
			return nil
		}
	}
}

// newServer makes a server with the bounds that all clients have.
func (p *proxy) newServer(handler http.Handler) *http.Server {
	return &http.Server{
		Handler: handler, DisableGeneralOptionsHandler: true, // OPTIONS * gets what other requests without a path get
		ReadHeaderTimeout: headTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: mostHead,
		ErrorLog: slog.NewLogLogger(netHandler{p.summed.Handler()}, slog.LevelWarn),
	}
}

// isOwn reports whether a connection of the proxy leads to where it listens.
func (p *proxy) isOwn(conn net.Conn) bool {
	remote, isTCP := conn.RemoteAddr().(*net.TCPAddr)
	local, _ := conn.LocalAddr().(*net.TCPAddr)
	if !isTCP || local == nil || p.address == nil || remote.Port != p.address.Port {
		return false
	}
	return remote.IP.Equal(p.address.IP) || p.address.IP.IsUnspecified() && remote.IP.Equal(local.IP)
}

// stop ends in order. end ends the contexts of all requests.
func (p *proxy) stop(s *http.Server, end context.CancelCauseFunc) {
	drain, grace := max(0, p.config.Drain), max(0, p.config.Grace)
	p.isStopping.Store(true)
	p.log.Info("stop", slog.Float64("drain_seconds", seconds(drain)), slog.Float64("grace_seconds", seconds(grace)))
	<-time.After(drain)
	p.entrance.close()
	within := func(d time.Duration) error {
		ctx, cancel := context.WithTimeout(context.Background(), d)
		defer cancel()
		return errors.Join(s.Shutdown(ctx), p.entrance.wait(ctx))
	}
	if within(grace) == nil {
		return
	}
	end(errStopping)
	if within(RefusalTime) != nil {
		_ = s.Close() // the listener is closed already
	}
}

// started logs where the proxy listens and leads, and loudly if other machines can reach it.
func (p *proxy) started(address net.Addr) {
	attrs := []any{slog.String("listen", address.String())}
	if p.admin != nil {
		attrs = append(attrs, slog.String("admin", p.admin.Addr().String()))
	}
	p.log.Info("start", append(attrs, p.described()...)...)
	if p.server.Load().isExposed && len(p.server.Load().tokens) == 0 {
		p.log.Warn("OTHER MACHINES CAN REACH THIS PROXY: all that reach this address can send requests to the upstreams",
			slog.String("listen", address.String()))
	}
}

// networkOf splits an address of a Config: "unix:" goes before the path of a socket, and all others are of TCP.
func networkOf(listen string) (network, address string) {
	if path, isSocket := strings.CutPrefix(listen, "unix:"); isSocket {
		return "unix", path
	}
	return "tcp", listen
}

func isAddress(listen string) bool {
	network, address := networkOf(listen)
	if network == "unix" {
		return address != ""
	}
	_, port, err := net.SplitHostPort(address)
	return err == nil && isPort(port)
}

func isPort(text string) bool {
	_, err := strconv.ParseUint(text, 10, 16)
	return err == nil
}

// isExposed reports whether other machines can reach an address.
func isExposed(listen string) bool {
	network, address := networkOf(listen)
	host, _, _ := net.SplitHostPort(address)
	return network == "tcp" && !isLocal(host)
}

// adminOf returns the default of AdminListen.
func adminOf(listen string) string {
	network, address := networkOf(listen)
	if network == "unix" {
		return listen + ".admin"
	}
	_, text, _ := net.SplitHostPort(address)
	port, err := strconv.ParseUint(text, 10, 16)
	if err == nil && port > 0 { // 0: any free port
		port++
	}
	return "127.0.0.1:" + strconv.FormatUint(port, 10)
}

// listenAt listens at an address of a Config. A socket that a killed proxy has left is removed.
func listenAt(ctx context.Context, listen string) (net.Listener, error) {
	network, address := networkOf(listen)
	if info, err := os.Stat(address); network == "unix" && err == nil && info.Mode().Type() == fs.ModeSocket {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		if err == nil {
			_ = conn.Close() // somebody listens there, and Listen fails
		} else if errors.Is(err, syscall.ECONNREFUSED) {
			_ = os.Remove(address) // if that fails, Listen does, too
		}
	}
	return new(net.ListenConfig).Listen(ctx, network, address)
}

// withTLS returns the listener of clients that speak TLS, if there is a certificate. They get the one of the last reload.
// Without HTTP/2 each request has a connection of its own, as the deadlines need it.
func (p *proxy) withTLS(l net.Listener) net.Listener {
	if p.server.Load().certificate == nil {
		return l
	}
	return tls.NewListener(l, &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return p.server.Load().certificate, nil },
	})
}
