package proxy

import (
	"net/url"
	"strings"
	"time"

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

// A Config says what the proxy does. A zero field stands for its default. Fields with the tag restart are read when the proxy
// starts, and not again at a reload.
type Config struct {
	// Listen is the address for clients: a host and a port, or "unix:" and the path of a socket. Other machines can reach the
	// proxy only if the host says so.
	Listen string `yaml:"listen" restart:""`

	// Hosts are names and addresses by which clients may ask, as in the Host field, without port. The names of this machine and
	// the hosts of Upstreams need not be among them. nil means no others on loopback, and all where other machines can reach the
	// proxy, which then needs a TokenFile.
	Hosts []string `yaml:"hosts"`

	// TokenFile is a file with one token a line. A request needs one of them in its Headway-Token field. "" means that it needs
	// none.
	TokenFile string `yaml:"token-file"`

	// Upstreams are the servers to which requests may go; at least one.
	Upstreams []Upstream `yaml:"upstreams"`

	// Fleet shares quotas with other proxies. Its zero value means that this proxy is alone.
	Fleet Fleet `yaml:"fleet" restart:""`

	// Profiles say what responses of some hosts leave out, before headway's own. They apply to all upstreams.
	Profiles Profiles `yaml:"profiles"`

	// Snapshot is a file for what was learned about limits, for the next start. "" means none.
	Snapshot string `yaml:"snapshot" restart:""`

	// MaxConnections bounds the connections of clients. More clients take the place of idle ones, or wait until one closes.
	// Negative counts as 0.
	MaxConnections int `yaml:"max-connections" restart:""`

	// ResendBody is the size in bytes up to which the content of a request is kept, so that the request can be sent again.
	// Negative means that no content is kept.
	ResendBody int64 `yaml:"resend-body"`

	// Grace is how long requests may go on when the proxy is stopped. Then the waiting ones are refused. Negative means
	// not at all.
	Grace time.Duration `yaml:"grace"`

	// Drain is how long the proxy still takes new requests when it is stopped and says so at /readyz, before Grace begins.
	// Negative counts as 0.
	Drain time.Duration `yaml:"drain"`

	// AdminListen is an address for health, metrics and the debug page, in the form of Listen. "" means the port behind that
	// of Listen, on loopback, or a socket beside that of Listen.
	AdminListen string `yaml:"admin-listen" restart:""`

	// Insecure lets a proxy start that other machines can reach, without Hosts and without a TokenFile.
	Insecure bool `yaml:"insecure"`

	// MaxPerClient bounds the requests at once of one address. 0 means three quarters of MaxConnections where other machines
	// can reach Listen, and no bound for programs on this machine, which have one address. Negative means no bound.
	MaxPerClient int `yaml:"max-per-client" restart:""`

	// AccessLog adds a line for each request to the log. LogFormat is that of the log, "json" or "text"; "" means JSON.
	AccessLog bool   `yaml:"access-log"`
	LogFormat string `yaml:"log-format" restart:""`

	// LogLevel is debug, info, warn or error: lines below it are left out. "" means info.
	LogLevel string `yaml:"log-level"`

	// TLS has the files with which the proxy speaks TLS to clients. Its zero value means no TLS.
	TLS TLS `yaml:"tls"`

	file, source string // where it was read, and the YAML; "": nowhere
}

// A TLS names the files of a certificate and its key, in PEM. They are read again at a reload.
type TLS struct {
	CertFile string `yaml:"cert-file"` // the certificate, and those between it and its root
	KeyFile  string `yaml:"key-file"`
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

	// ResponseTimeout is how long the server may take for the fields of its response, from when it was sent the request or,
	// over HTTP/1.1, has last taken some of its content. nil means DefaultResponseTimeout; 0 and less mean for ever.
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

func (u *Upstream) pacing() headway.Pacing {
	if u.Pacing == "measured" {
		return headway.PaceMeasured
	}
	return headway.PaceEvenly
}
