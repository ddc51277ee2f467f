package proxy

import (
	"net/url"
	"time"
)

// The defaults of a Config's zero fields.
const (
	DefaultListen          = "127.0.0.1:8429"
	DefaultMaxConnections  = 4096
	DefaultResendBody      = 1 << 20
	DefaultGrace           = 30 * time.Second
	DefaultResponseTimeout = time.Minute
)

// A Config says what the proxy does; docs/proxy-operate.md has all of it for users. A zero field stands for its default. Fields with the
// tag restart are read when the proxy starts, and not again at a reload.
type Config struct {
	// These are addresses for clients, and for health, metrics and the debug page: a host and a port, or "unix:" and the path of
	// a socket. Other machines can reach them only if the host says so, and then Hosts, a TokenFile or Insecure is needed.
	// AdminListen "" means the port behind that of Listen, on loopback, or a socket beside that of Listen.
	Listen      string `yaml:"listen" restart:""`
	AdminListen string `yaml:"admin-listen" restart:""`

	Hosts     []string   `yaml:"hosts"`          // by which clients may ask, without port, besides names of this machine and hosts of Upstreams
	TokenFile string     `yaml:"token-file"`     // one token a line, of which a request needs one; "": none is needed
	Insecure  bool       `yaml:"insecure"`       // all that can reach the proxy may use it
	TLS       TLS        `yaml:"tls" restart:""` // zero: clients do not speak TLS
	Upstreams []Upstream `yaml:"upstreams"`      // at least one
	Profiles  Profiles   `yaml:"profiles"`       // what responses of some hosts leave out, before headway's own
	Fleet     Fleet      `yaml:"fleet" restart:""`
	Snapshot  string     `yaml:"snapshot" restart:""` // a file for what was learned; "": none

	// MaxConnections bounds the connections of clients. More clients take the place of idle ones, or wait until one closes.
	// MaxPerClient bounds the requests at once of one address: 0 means three quarters of MaxConnections where other machines can
	// reach Listen, and no bound for programs on this machine, which have one address. Negative means no bound.
	MaxConnections int `yaml:"max-connections" restart:""`
	MaxPerClient   int `yaml:"max-per-client" restart:""`

	ResendBody int64         `yaml:"resend-body"` // bytes up to which content is kept for a resend; negative: none is
	Drain      time.Duration `yaml:"drain"`       // new requests are still taken after the signal, while /readyz says that it stops
	Grace      time.Duration `yaml:"grace"`       // requests may go on after Drain, before the waiting ones are refused; negative: not at all

	LogLevel  string `yaml:"log-level"`             // debug, info, warn or error; "": info
	LogFormat string `yaml:"log-format" restart:""` // json or text; "": json
	AccessLog bool   `yaml:"access-log"`            // a line for each request

	file, source string // where it was read, and the YAML; "": nowhere
}

// A TLS names the files of a certificate and its key, in PEM. They are read again at a reload.
type TLS struct {
	CertFile string `yaml:"cert-file"` // the certificate, and those between it and its root
	KeyFile  string `yaml:"key-file"`
}

// An Upstream is a server behind the proxy.
type Upstream struct {
	To   string `yaml:"to"`   // its URL, perhaps with a path, to which the rest of a request's path is added
	Path string `yaml:"path"` // begins the paths of its requests, and is taken off; "": all
	Host string `yaml:"host"` // the Host field of its requests, without port; "": all
	Name string `yaml:"name"` // in logs, metrics and the debug page; "": the host of To

	PartitionHeader string        `yaml:"partition-header"` // requests with equal values of it share a pace; "": with equal credentials
	MaxWait         time.Duration `yaml:"max-wait"`         // see headway.Transport.MaxWait; negative: only the client bounds it
	MaxRetries      int           `yaml:"max-retries"`      // see headway.Transport.MaxRetries
	Pacing          string        `yaml:"pacing"`           // "measured" for work that comes in bursts, else "evenly"; "": evenly

	// ResponseTimeout is how long the server may take for the fields of its response, from when it was sent the request or,
	// over HTTP/1.1, has last taken some of its content. nil means DefaultResponseTimeout; 0 and less mean for ever.
	ResponseTimeout *time.Duration `yaml:"response-timeout"`

	target *url.URL
}

// A Fleet is where proxies meet to share quotas: those of one user on one machine in a folder, those of several machines in a
// store. See package fleet. Its zero value means no fleet.
type Fleet struct {
	Folder  string `yaml:"folder"`
	URL     string `yaml:"url"`      // redis:// or rediss://, perhaps with a password
	KeyFile string `yaml:"key-file"` // a file with at least 16 random bytes, the same on all machines; "" means the folder's key
}
