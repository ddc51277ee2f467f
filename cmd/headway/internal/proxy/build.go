package proxy

import (
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"reflect"
	"slices"
	"sync/atomic"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/fleet"
	"github.com/headway-go/headway/fleet/redisfleet"
	"github.com/headway-go/headway/promheadway"
)

// A proxy is all that Run has made. A reload changes config, server and upstreams, and all else stays.
type proxy struct {
	config    Config
	server    atomic.Pointer[server]
	upstreams []*upstream // of the server, in the order of the config
	retired   []*upstream // of earlier servers, with requests that were begun
	secret    []byte      // makes names of partitions from the values of header fields
	buffers   buffers
	summed    *slog.Logger // log, with like lines summed
	sealing   []byte       // the key of snapshots, and of what an upstream hands over at a reload
	fleet     *fleet.Fleet // nil: none
	metrics   promheadway.Collector
	counters  *counters
	log       *slog.Logger
	closers   []io.Closer

	clients    *connections
	entrance   *entrance
	budget     *budget
	address    *net.TCPAddr // where it listens; nil: not on TCP, or not yet
	admin      net.Listener // nil: none
	isStopping atomic.Bool

	hangups <-chan os.Signal // each asks for a reload
	load    func() (Config, error)
	level   *slog.LevelVar // of log
}

// build makes a proxy, which does not listen yet.
func build(c Config, log *slog.Logger) (*proxy, error) {
	c, err := c.complete()
	if err != nil {
		return nil, err
	}
	p := &proxy{
		config: c, log: log, summed: slog.New(newSumming(log.Handler())), level: new(slog.LevelVar), counters: newCounters(),
		budget: &budget{most: mostContent()}, entrance: &entrance{most: c.MaxPerClient, clients: map[string]int{}},
	}
	p.clients = newConnections(c.MaxConnections, func() {
		log.Warn("all places are taken: other clients wait", slog.Int("max-connections", c.MaxConnections))
	})
	if err = p.readKeys(); err == nil {
		err = p.apply(c)
	}
	if err != nil {
		p.close()
		return nil, err
	}
	p.registerAll()
	p.restore()
	return p, nil
}

// readKeys reads the keys, and joins the fleet. Members of a fleet must give the same name to the same partition, and so must
// each run of a proxy with a snapshot.
func (p *proxy) readKeys() (err error) {
	if p.sealing = []byte(rand.Text()); p.config.Snapshot != "" {
		if p.sealing, err = ensureSecret(keyFile(p.config.Snapshot)); err != nil {
			return fmt.Errorf("the key of the snapshot: %w", err)
		}
	}
	p.secret = p.sealing
	if (p.config.Fleet == Fleet{}) {
		return nil
	}
	if p.fleet, err = p.join(); err == nil {
		p.secret = p.fleet.Key()
	}
	return err
}

// apply puts a server of the Config in place. It changes nothing if there is an error.
func (p *proxy) apply(c Config) error {
	tokens, certificate, err := c.readAccess()
	if err != nil {
		return err
	}
	var upstreams []*upstream
	for _, u := range c.Upstreams {
		upstreams = append(upstreams, p.upstreamOf(u, c.Profiles))
	}
	for _, u := range p.upstreams {
		if !slices.Contains(upstreams, u) {
			p.retired = append(p.retired, u)
			p.counters.storeUp.Set(1) // it may not see the store come back, and the next one says anew what it finds
		}
	}
	s := &server{
		proxy: p, upstreams: slices.Clone(upstreams), resendBody: c.ResendBody, hosts: c.Hosts, isExposed: c.isExposed(),
		tokens: tokens, certificate: certificate,
	}
	slices.SortStableFunc(s.upstreams, bySpecificity)
	if c.AccessLog {
		s.access = p.log
	}
	p.config, p.upstreams = c, upstreams
	p.server.Store(s)
	return nil
}

// upstreamOf returns the upstream with these settings, with its queue if it is there already. An upstream of that name with
// other settings hands over what it has learned. It serves its last requests itself.
func (p *proxy) upstreamOf(c Upstream, profiles Profiles) *upstream {
	i := slices.IndexFunc(p.upstreams, func(u *upstream) bool { return u.Name == c.Name })
	isSame := i >= 0 && reflect.DeepEqual(p.upstreams[i].Upstream, c) && reflect.DeepEqual(p.config.Profiles, profiles)
	if isSame {
		return p.upstreams[i]
	}
	u := p.newUpstream(c, profiles)
	if i >= 0 {
		learned, err := p.upstreams[i].transport.Snapshot()
		if err == nil {
			err = u.transport.Restore(learned)
		}
		if err != nil {
			u.log.Warn("limits are learned anew", slog.String("reason", err.Error()))
		}
	}
	return u
}

// join joins the fleet.
func (p *proxy) join() (member *fleet.Fleet, err error) {
	key, err := p.config.Fleet.key()
	switch {
	case err != nil:
		return nil, err
	case p.config.Fleet.URL != "":
		member, err = p.joinRedis(key)
	default:
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

// described are the attributes of a line of the log that says what the proxy does.
func (p *proxy) described() []any {
	upstreams := map[string]string{}
	for _, u := range p.upstreams {
		upstreams[u.Name] = u.To
	}
	return []any{
		slog.Any("upstreams", upstreams), slog.Bool("fleet", p.fleet != nil), slog.Bool("snapshot", p.config.Snapshot != ""),
		slog.Bool("token", len(p.server.Load().tokens) > 0), slog.Bool("tls", p.server.Load().certificate != nil),
	}
}

// reload reads the configuration again. Requests that were begun go on as they began, and no connection is closed. If anything
// is wrong, all stays as it is.
func (p *proxy) reload() {
	c, err := p.load()
	if err == nil {
		c, err = c.complete()
	}
	kept := c.keep(&p.config)
	if err == nil {
		err = c.locate(c.checkListen()) // whether what stays may be reached with what is new
	}
	if err == nil {
		err = p.apply(c)
	}
	if err != nil {
		p.log.Error("reload failed", slog.String("reason", err.Error()))
		return
	}
	p.level.Set(c.Level())
	p.log.Info("reload", p.described()...)
	if len(kept) > 0 {
		p.log.Warn("a restart is needed for some settings", slog.Any("settings", kept))
	}
}

// sweep forgets upstreams of earlier configurations that have served their last request.
func (p *proxy) sweep() {
	has := func(s headway.PartitionState) bool { return s.Waiting+s.InFlight > 0 }
	p.retired = slices.DeleteFunc(p.retired, func(u *upstream) bool {
		isIdle := !slices.ContainsFunc(u.transport.State(), has)
		if isIdle {
			p.metrics.Remove(u.transport)
		}
		return isIdle
	})
}

// keep takes over from old what needs a restart, and returns the keys of what would have changed.
func (c *Config) keep(old *Config) (kept []string) {
	now, before := reflect.ValueOf(c).Elem(), reflect.ValueOf(old).Elem()
	for i := range now.NumField() {
		tag := now.Type().Field(i).Tag
		if _, isFixed := tag.Lookup("restart"); isFixed && !reflect.DeepEqual(now.Field(i).Interface(), before.Field(i).Interface()) {
			now.Field(i).Set(before.Field(i))
			kept = append(kept, tag.Get("yaml"))
		}
	}
	return kept
}
