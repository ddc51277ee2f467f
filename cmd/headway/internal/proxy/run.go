package proxy

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"

	"github.com/headway-go/headway/fleet"
	"github.com/headway-go/headway/fleet/redisfleet"
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

// Run serves until ctx ends, and then ends in order: no new requests, up to Config.Grace for those that were begun, and a
// 503 for those that still wait then. It returns nil after that, and an error if the proxy cannot begin or go on. log gets
// a line for each start, hold, refusal and end, and for what goes wrong.
func Run(ctx context.Context, c Config, log *slog.Logger) error {
	p, err := build(c, log)
	if err != nil {
		return err
	}
	defer p.close()
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", p.config.Listen)
	if err != nil {
		return err
	}
	return p.serve(ctx, listener)
}

// A proxy is all that Run has made.
type proxy struct {
	config    Config
	server    *server
	upstreams []*upstream
	snapshot  *snapshotFile // nil: no snapshots
	log       *slog.Logger
	closers   []io.Closer
	address   *net.TCPAddr // where it listens; nil: not on TCP, or not yet
}

// build makes a proxy, which does not listen yet.
func build(c Config, log *slog.Logger) (*proxy, error) {
	c, err := c.complete()
	if err != nil {
		return nil, err
	}
	p := &proxy{config: c, log: log}
	if err := p.assemble(); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

func (p *proxy) assemble() error {
	c := &p.config
	keys, err := readKeys(c)
	if err != nil {
		return err
	}
	var common *fleet.Fleet
	if !c.Fleet.isNone() {
		if common, err = p.join(keys.fleet); err != nil {
			return err
		}
		keys.fleet = common.Key()
	}
	s := shared{secret: keys.ofPartitions(), buffers: newBuffers(), log: p.log, profiles: c.Profiles}
	for _, upstream := range c.Upstreams {
		u := newUpstream(upstream, newBase(p.isOwn), s)
		u.transport.SnapshotKey = keys.snapshot
		if common != nil {
			u.transport.Fleet = common
		}
		p.upstreams = append(p.upstreams, u)
	}
	p.server = newServer(c, p.upstreams)
	p.server.tokens = keys.tokens
	if p.server.ownPages, err = ownPages(p.upstreams); err != nil {
		return err
	}
	if c.Snapshot != "" {
		p.snapshot = &snapshotFile{c.Snapshot, p.upstreams}
		if err := p.snapshot.restore(); err != nil {
			p.log.Warn("snapshot is not used", slog.String("reason", err.Error()))
		}
	}
	return nil
}

// join joins the fleet.
func (p *proxy) join(key []byte) (member *fleet.Fleet, err error) {
	if p.config.Fleet.URL != "" {
		member, err = p.joinRedis(key)
	} else {
		member, err = fleet.Local(p.config.Fleet.Folder, fleet.Options{Key: key})
	}
	if err == nil {
		p.closers = append(p.closers, member)
	}
	return member, err
}

func (p *proxy) joinRedis(key []byte) (*fleet.Fleet, error) {
	options, err := redis.ParseURL(p.config.Fleet.URL)
	if err != nil {
		return nil, err
	}
	logging.Disable()                                 // go-redis writes plain lines, several a second; that the store is lost is in our log
	options.MaxRetries, options.DialerRetries = -1, 1 // the fleet asks again, and the log shall have the first error
	client := redis.NewClient(options)
	p.closers = append(p.closers, client)
	return redisfleet.New(client, redisfleet.Options{Key: key})
}

// close leaves the fleet, and then its store.
func (p *proxy) close() {
	for _, c := range slices.Backward(p.closers) {
		if err := c.Close(); err != nil {
			p.log.Warn("fleet is not left in order", slog.String("reason", err.Error()))
		}
	}
}

// serve serves the clients of a listener until ctx ends.
func (p *proxy) serve(ctx context.Context, listener net.Listener) error {
	address, isTCP := listener.Addr().(*net.TCPAddr)
	p.address = address
	p.server.isExposed = !isTCP || !address.IP.IsLoopback()
	requests, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer end(nil)
	tune(listener)
	clients := newConnections(listener, p.config.MaxConnections)
	s := &http.Server{
		Handler: p.server, BaseContext: func(net.Listener) context.Context { return requests },
		DisableGeneralOptionsHandler: true, // OPTIONS * gets what other requests without a path get
		ReadHeaderTimeout:            headTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: mostHead,
		ConnState: clients.watch,
		ErrorLog:  slog.NewLogLogger(WithoutQuotes(p.log.Handler()), slog.LevelWarn),
	}
	p.started(listener.Addr())
	failed := make(chan error, 1)
	go func() { failed <- s.Serve(clients) }()
	saved := time.NewTicker(saveEvery)
	defer saved.Stop()
	for {
		select {
		case err := <-failed:
			p.save()
			return errors.Join(err, s.Close())
		case <-saved.C:
			p.save()
		case <-ctx.Done():
			p.stop(s, end)
			p.save()
			p.log.Info("stopped")
			return nil
		}
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
	p.server.stop()
	p.log.Info("stop", slog.Float64("grace_seconds", seconds(max(0, p.config.Grace))))
	within := func(d time.Duration) error {
		ctx, cancel := context.WithTimeout(context.Background(), d)
		defer cancel()
		return errors.Join(s.Shutdown(ctx), p.server.wait(ctx))
	}
	if within(max(0, p.config.Grace)) == nil {
		return
	}
	end(errStopping)
	if within(RefusalTime) != nil {
		_ = s.Close() // the listener is closed already
	}
}

func (p *proxy) save() {
	if p.snapshot == nil {
		return
	}
	if err := p.snapshot.save(); err != nil {
		p.log.Warn("snapshot is not written", slog.String("reason", err.Error()))
	}
}

// started logs where the proxy listens and leads, and loudly if other machines can reach it.
func (p *proxy) started(address net.Addr) {
	upstreams := make([]any, 0, len(p.upstreams))
	for _, u := range p.upstreams {
		attrs := map[string]string{"name": u.Name, "to": u.target.String()}
		if u.Path != "" {
			attrs["path"] = u.Path
		}
		if u.Host != "" {
			attrs["host"] = u.Host
		}
		upstreams = append(upstreams, attrs)
	}
	p.log.Info("start", slog.String("listen", address.String()), slog.Any("upstreams", upstreams),
		slog.Bool("fleet", !p.config.Fleet.isNone()), slog.Bool("snapshot", p.snapshot != nil),
		slog.Bool("token", len(p.server.tokens) > 0))
	if p.server.isExposed && len(p.server.tokens) == 0 {
		p.log.Warn("OTHER MACHINES CAN REACH THIS PROXY: all that reach this address can send requests to the upstreams, and see "+
			debugPath+" and "+metricsPath, slog.String("listen", address.String()))
	}
}
