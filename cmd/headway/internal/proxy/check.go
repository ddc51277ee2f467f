package proxy

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"
	"golang.org/x/net/http/httpguts"

	"github.com/headway-go/headway"
)

// A mistake is a setting that cannot be used. Its text shows no URL of a store.
type mistake struct {
	setting string // its path in the file, such as upstreams.0.to
	text    string
}

func (m *mistake) Error() string { return m.text }

// Check returns what is wrong with a Config, and nil if Run can use it. Files and addresses are not looked at.
func (c Config) Check() error {
	_, err := c.complete()
	return err
}

// Level is that of LogLevel.
func (c Config) Level() (level slog.Level) {
	_ = level.UnmarshalText([]byte(cmp.Or(c.LogLevel, "info"))) // Check has the error
	return level
}

// complete sets defaults and checks the rest. Errors name the place in the file.
func (c Config) complete() (Config, error) {
	c.setDefaults()
	err := cmp.Or(c.checkListen(), c.checkHosts(), c.Fleet.check(), c.checkRest(), c.completeUpstreams())
	return c, c.locate(err)
}

func (c *Config) setDefaults() {
	c.Listen = cmp.Or(c.Listen, DefaultListen)
	c.AdminListen = cmp.Or(c.AdminListen, adminOf(c.Listen))
	if c.MaxConnections <= 0 {
		c.MaxConnections = DefaultMaxConnections
	}
	if c.MaxPerClient == 0 && isExposed(c.Listen) {
		c.MaxPerClient = (3*c.MaxConnections + 3) / 4
	}
	c.ResendBody = cmp.Or(c.ResendBody, DefaultResendBody)
	c.Grace = cmp.Or(c.Grace, DefaultGrace)
}

// isExposed reports whether other machines can reach the proxy.
func (c *Config) isExposed() bool { return isExposed(c.Listen) || isExposed(c.AdminListen) }

func (c *Config) checkListen() error {
	for _, x := range []struct{ setting, address string }{{"listen", c.Listen}, {"admin-listen", c.AdminListen}} {
		switch {
		case !isAddress(x.address):
			return &mistake{x.setting, x.setting + " must be a host and a port up to 65535, such as 127.0.0.1:8429, or a socket such as unix:/run/headway.sock"}
		case isExposed(x.address) && len(c.Hosts) == 0 && c.TokenFile == "" && !c.Insecure:
			return &mistake{x.setting, "other machines can reach " + x.address + ": set hosts or token-file, or insecure if all may use the proxy"}
		}
	}
	return nil
}

// checkHosts puts the hosts in the form in which hostname finds them in a Host field.
func (c *Config) checkHosts() error {
	c.Hosts = slices.Clone(c.Hosts)
	for i, host := range c.Hosts {
		name, isName := hostOf(host)
		if !isName {
			return &mistake{fmt.Sprint("hosts.", i), "hosts must be names or addresses such as headway.internal, without a port or *"}
		}
		c.Hosts[i] = name
	}
	return nil
}

func (f Fleet) check() error {
	switch {
	case f.Folder != "" && f.URL != "":
		return &mistake{"fleet", "a fleet is in a folder or at a URL, not both"}
	case f.Folder == "" && (f.URL == "") != (f.KeyFile == ""):
		return &mistake{"fleet", "a fleet at a URL needs both the URL and a key file"}
	}
	if f.URL != "" {
		if _, err := redis.ParseURL(f.URL); err != nil { // whose text may have the password
			return &mistake{"fleet.url", "the URL of the fleet must be such as redis://host:6379/0"}
		}
	}
	return nil
}

func (c *Config) checkRest() error {
	switch {
	case (c.TLS.CertFile == "") != (c.TLS.KeyFile == ""):
		return &mistake{"tls", "tls needs both a cert-file and a key-file"}
	case !slices.Contains([]string{"", "debug", "info", "warn", "error"}, c.LogLevel):
		return &mistake{"log-level", "log-level must be debug, info, warn or error"}
	case !slices.Contains([]string{"", "json", "text"}, c.LogFormat):
		return &mistake{"log-format", "log-format must be json or text"}
	}
	return nil
}

// completeUpstreams completes the upstreams. No two of them may have one name, or one path of a host.
func (c *Config) completeUpstreams() error {
	if len(c.Upstreams) == 0 {
		return &mistake{"upstreams", "there is no upstream"}
	}
	c.Upstreams = slices.Clone(c.Upstreams)
	seen := map[string]bool{}
	for i := range c.Upstreams {
		u, place := &c.Upstreams[i], fmt.Sprintf("upstreams.%d", i)
		if m := u.complete(); m != nil {
			return &mistake{place + "." + m.setting, m.text}
		}
		which := "all paths"
		if u.Path != "" {
			which = "the path " + u.Path
		}
		if u.Host != "" {
			which += " of host " + u.Host
		}
		for _, taken := range []string{"the name " + u.Name, which} {
			if seen[taken] {
				return &mistake{place, "two upstreams have " + taken}
			}
			seen[taken] = true
		}
	}
	return nil
}

func (u *Upstream) complete() *mistake {
	target, err := targetOf(u.To)
	switch {
	case err != nil:
		return &mistake{"to", err.Error()}
	case u.Path != "" && !isPrefix(u.Path):
		return &mistake{"path", "path must be such as /github, without a slash at its end"}
	case u.Host != "" && !isHost(u.Host):
		return &mistake{"host", "host must be a name such as github.localhost, without a port"}
	case u.PartitionHeader != "" && !httpguts.ValidHeaderFieldName(u.PartitionHeader):
		return &mistake{"partition-header", "partition-header must be the name of a header field"}
	case !slices.Contains([]string{"", "evenly", "measured"}, u.Pacing):
		return &mistake{"pacing", `pacing must be "evenly" or "measured"`}
	}
	u.target = target
	u.MaxWait = cmp.Or(u.MaxWait, headway.DefaultMaxWait)
	u.ResponseTimeout = cmp.Or(u.ResponseTimeout, new(DefaultResponseTimeout))
	u.Name = cmp.Or(u.Name, target.Host+strings.TrimSuffix(target.EscapedPath(), "/"))
	u.Host = strings.ToLower(u.Host)
	u.PartitionHeader = http.CanonicalHeaderKey(u.PartitionHeader)
	return nil
}

// targetOf returns the URL of an upstream.
func targetOf(to string) (*url.URL, error) {
	target, err := url.Parse(to)
	switch {
	case err != nil || target.Scheme != "http" && target.Scheme != "https" || target.Hostname() == "" || !isPort(cmp.Or(target.Port(), "80")):
		return nil, errors.New("to must begin with http:// or https:// and a host; a port is at most 65535")
	case target.User != nil:
		return nil, errors.New("to must not have a user: clients send their own credentials")
	case target.RawQuery != "" || target.Fragment != "":
		return nil, errors.New("to must have no query and no fragment")
	}
	return target, nil
}

// isPrefix reports whether a path has at least one segment, no dot segments, and needs no escapes, so that it can be compared as it is.
func isPrefix(p string) bool {
	u := url.URL{Path: p}
	return len(p) > 1 && path.IsAbs(p) && path.Clean(p) == p && u.EscapedPath() == p
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
