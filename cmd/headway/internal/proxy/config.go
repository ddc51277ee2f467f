package proxy

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"go.yaml.in/yaml/v3"
	"golang.org/x/net/http/httpguts"

	"github.com/headway-go/headway"
)

// The defaults of a Config's zero fields.
const (
	DefaultListen          = "127.0.0.1:8429"
	DefaultMaxConnections  = 4096
	DefaultResendBody      = 1 << 20
	DefaultGrace           = 30 * time.Second
	DefaultResponseTimeout = time.Minute
)

// A Config says what the proxy does. A zero field stands for its default.
type Config struct {
	// Listen is the address for clients, a host and a port. Other machines can reach the proxy only if the host says so.
	Listen string `yaml:"listen"`

	// Hosts are names and addresses by which clients may ask, as in the Host field, without port. The names of this machine and
	// the hosts of Upstreams need not be among them. nil means no others on loopback, and all where other machines can reach the
	// proxy.
	Hosts []string `yaml:"hosts"`

	// TokenFile is a file with one token a line. A request needs one of them in its Headway-Token field. "" means that it needs
	// none.
	TokenFile string `yaml:"token-file"`

	// Upstreams are the servers to which requests may go; at least one.
	Upstreams []Upstream `yaml:"upstreams"`

	// Fleet shares quotas with other proxies. Its zero value means that this proxy is alone.
	Fleet Fleet `yaml:"fleet"`

	// Profiles say what responses of some hosts leave out, before headway's own. They apply to all upstreams.
	Profiles Profiles `yaml:"profiles"`

	// Snapshot is a file for what was learned about limits, for the next start. "" means none.
	Snapshot string `yaml:"snapshot"`

	// MaxConnections bounds the connections of clients. More clients take the place of idle ones, or wait until one closes.
	// Negative counts as 0.
	MaxConnections int `yaml:"max-connections"`

	// ResendBody is the size in bytes up to which the content of a request is kept, so that the request can be sent again.
	// Negative means that no content is kept.
	ResendBody int64 `yaml:"resend-body"`

	// Grace is how long requests may go on when the proxy is stopped. Then the waiting ones are refused. Negative means
	// not at all.
	Grace time.Duration `yaml:"grace"`
}

// An Upstream is a server behind the proxy.
type Upstream struct {
	// To is the server's URL, perhaps with a path, to which the rest of a request's path is added.
	To string `yaml:"to"`

	// Path and Host choose the requests for this upstream. Path begins their paths, and is taken off; "" suits all. Host is
	// their Host field, without port; "" suits all.
	Path string `yaml:"path"`
	Host string `yaml:"host"`

	// Name is used in logs, metrics and the debug page. "" means the host of To.
	Name string `yaml:"name"`

	// PartitionHeader is a header field. Requests with equal values share one pace, queue and hold. "" means the
	// credentials, see headway.DefaultPartition.
	PartitionHeader string `yaml:"partition-header"`

	// MaxWait is the longest time for which a request is kept back, see headway.Transport.MaxWait. Negative means that
	// nothing but the client bounds it.
	MaxWait time.Duration `yaml:"max-wait"`

	// ResponseTimeout is how long the server may take for the fields of its response, from when it was sent the request or
	// has last taken some of its content. nil means DefaultResponseTimeout; 0 and less mean for ever.
	ResponseTimeout *time.Duration `yaml:"response-timeout"`

	// MaxRetries is how often a throttled request is sent again, see headway.Transport.MaxRetries.
	MaxRetries int `yaml:"max-retries"`

	// Pacing is "evenly", or "measured" for work that comes in bursts, see headway.Transport.Pacing. "" means evenly.
	Pacing string `yaml:"pacing"`

	target *url.URL
}

// A Fleet is where proxies meet to share quotas: those of one user on one machine in a folder, those of several machines in a
// store. See package fleet. Its zero value means no fleet.
type Fleet struct {
	Folder  string `yaml:"folder"`
	URL     string `yaml:"url"`      // redis:// or rediss://, perhaps with a password
	KeyFile string `yaml:"key-file"` // a file with at least 16 random bytes, the same on all machines; "" means the folder's key
}

// At sets the folder, or the URL if there is "://" in where.
func (f *Fleet) At(where string) {
	f.Folder, f.URL = where, ""
	if strings.Contains(where, "://") {
		f.Folder, f.URL = "", where
	}
}

func (f Fleet) isNone() bool { return f.Folder == "" && f.URL == "" }

// ReadConfig reads a Config in YAML. An unknown field is an error.
func ReadConfig(text []byte) (Config, error) {
	var c Config
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	err := decoder.Decode(&c)
	if wrong, isWrong := errors.AsType[*yaml.TypeError](err); isWrong {
		return Config{}, errors.New(unknownKey.ReplaceAllString(strings.Join(wrong.Errors, "; "), `unknown key "$1"`))
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return Config{}, fmt.Errorf("the file is not as expected: %w", err)
	}
	if err == nil && !errors.Is(decoder.Decode(new(yaml.Node)), io.EOF) {
		return Config{}, errors.New("the file must have one document only, so no line --- below the first setting")
	}
	return c, nil
}

// unknownKey finds what package yaml says of a key that no field has.
var unknownKey = regexp.MustCompile(`field (\S+) not found in type [^;\s]+`)

// Check returns what is wrong with a Config, and nil if Run can use it. Files and addresses are not looked at.
func (c Config) Check() error {
	_, err := c.complete()
	return err
}

// complete sets defaults and checks the rest. Errors name the field, and show no URL of a store.
func (c Config) complete() (Config, error) {
	c.setDefaults()
	var err error
	if c.Hosts, err = canonicalHosts(c.Hosts); err != nil {
		return c, err
	}
	if err := c.Fleet.check(); err != nil {
		return c, err
	}
	c.Upstreams, err = completeAll(c.Upstreams)
	return c, err
}

func (c *Config) setDefaults() {
	if c.MaxConnections <= 0 {
		c.MaxConnections = DefaultMaxConnections
	}
	c.Listen = cmp.Or(c.Listen, DefaultListen)
	c.ResendBody = cmp.Or(c.ResendBody, DefaultResendBody)
	c.Grace = cmp.Or(c.Grace, DefaultGrace)
}

// canonicalHosts returns the hosts as hostname finds them in a Host field.
func canonicalHosts(hosts []string) ([]string, error) {
	hosts = slices.Clone(hosts)
	for i, host := range hosts {
		name, isName := hostOf(host)
		if !isName {
			return nil, errors.New("hosts must be names or addresses such as headway.internal, without a port or *")
		}
		hosts[i] = name
	}
	return hosts, nil
}

func (f Fleet) check() error {
	switch {
	case f.Folder != "" && f.URL != "":
		return errors.New("a fleet is in a folder or at a URL, not both")
	case f.Folder == "" && (f.URL == "") != (f.KeyFile == ""):
		return errors.New("a fleet at a URL needs both the URL and a key file")
	}
	if f.URL != "" {
		if _, err := redis.ParseURL(f.URL); err != nil { // whose text may have the password
			return errors.New("the URL of the fleet must be such as redis://host:6379/0")
		}
	}
	return nil
}

// completeAll completes the upstreams. No two of them may have one name, or one path of a host.
func completeAll(upstreams []Upstream) ([]Upstream, error) {
	if len(upstreams) == 0 {
		return nil, errors.New("there is no upstream")
	}
	seen := map[string]bool{}
	all := make([]Upstream, 0, len(upstreams))
	for i, u := range upstreams {
		u, err := u.complete()
		if err != nil {
			return nil, fmt.Errorf("upstream %d: %w", i+1, err)
		}
		for _, unique := range []string{"name " + u.Name, "path " + u.Path + " of host " + u.Host} {
			if seen[unique] {
				return nil, fmt.Errorf("upstream %d: another one has the %s", i+1, unique)
			}
			seen[unique] = true
		}
		all = append(all, u)
	}
	return all, nil
}

func (u Upstream) complete() (Upstream, error) {
	target, err := targetOf(u.To)
	switch {
	case err != nil:
		return u, err
	case u.Path != "" && !isPrefix(u.Path):
		return u, errors.New("path must be such as /github, without a slash at its end")
	case u.Host != "" && !isHost(u.Host):
		return u, errors.New("host must be a name such as github.localhost, without a port")
	case u.PartitionHeader != "" && !httpguts.ValidHeaderFieldName(u.PartitionHeader):
		return u, errors.New("partition-header must be the name of a header field")
	case !slices.Contains([]string{"", "evenly", "measured"}, u.Pacing):
		return u, errors.New(`pacing must be "evenly" or "measured"`)
	}
	u.target = target
	u.MaxWait = cmp.Or(u.MaxWait, headway.DefaultMaxWait)
	u.ResponseTimeout = cmp.Or(u.ResponseTimeout, new(DefaultResponseTimeout))
	u.Name = cmp.Or(u.Name, target.Host+strings.TrimSuffix(target.EscapedPath(), "/"))
	u.Host = strings.ToLower(u.Host)
	u.PartitionHeader = http.CanonicalHeaderKey(u.PartitionHeader)
	return u, nil
}

// targetOf returns the URL of an upstream.
func targetOf(to string) (*url.URL, error) {
	target, err := url.Parse(to)
	switch {
	case err != nil || target.Scheme != "http" && target.Scheme != "https" || target.Hostname() == "":
		return nil, errors.New("to must begin with http:// or https:// and a host")
	case target.User != nil:
		return nil, errors.New("to must not have a user: clients send their own credentials")
	case target.RawQuery != "" || target.Fragment != "":
		return nil, errors.New("to must have no query and no fragment")
	}
	return target, nil
}

// isPrefix reports whether path has at least one segment and needs no escapes, so that it can be compared as it is.
func isPrefix(path string) bool {
	u := url.URL{Path: path}
	return strings.HasPrefix(path, "/") && !strings.HasSuffix(path, "/") && u.EscapedPath() == path
}

// hostOf returns a name or an address as hostname finds it in a Host field.
func hostOf(name string) (host string, isHostOrAddress bool) {
	if address, err := netip.ParseAddr(strings.Trim(name, "[]")); err == nil {
		return address.String(), address.Zone() == ""
	}
	return strings.ToLower(name), name != "" && !strings.Contains(name, "*") && isHost(name)
}

// isHost reports whether a name has no port and can be in a Host field.
func isHost(name string) bool {
	return !strings.Contains(name, "/") && httpguts.ValidHostHeader(name) && hostname(name) == strings.ToLower(name)
}

func (u *Upstream) pacing() headway.Pacing {
	if u.Pacing == "measured" {
		return headway.PaceMeasured
	}
	return headway.PaceEvenly
}
