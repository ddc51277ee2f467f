package proxy

import (
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/validate"
)

func TestReadConfig(t *testing.T) {
	c, err := ReadConfig("headway.yaml", []byte(`
listen: 127.0.0.1:9000
upstreams:
  - to: https://api.github.com
    path: /github
    max-wait: 90s
    max-retries: -1
    pacing: measured
  - to: https://api.example.com/v1/
    host: Example.localhost
    partition-header: x-tenant
    name: example
fleet: {url: "redis://store/0", key-file: /etc/headway/key}
snapshot: /var/lib/headway/limits
hosts: [Headway.internal, 192.0.2.1, "[2001:DB8::1]"]
token-file: /etc/headway/token
max-connections: 100
resend-body: 4096
grace: 5s
drain: 2s
admin-listen: unix:/run/admin.sock
max-per-client: 7
log-level: debug
insecure: true
tls: {cert-file: cert.pem, key-file: key.pem}
profiles:
  - host: api.example.com
    statuses: [402]
    fields: [{name: X-Used-1M, holds: used, quota: 6000, window: 1m}]
`))
	require.NoError(t, err)
	c, err = c.complete()
	require.NoError(t, err)
	require.Equal(t, Fleet{URL: "redis://store/0", KeyFile: "/etc/headway/key"}, c.Fleet)
	require.Equal(t, "127.0.0.1:9000", c.Listen)
	require.Equal(t, "/var/lib/headway/limits", c.Snapshot)
	require.Equal(t, []string{"headway.internal", "192.0.2.1", "2001:db8::1"}, c.Hosts)
	require.Equal(t, "/etc/headway/token", c.TokenFile)
	require.Equal(t, 100, c.MaxConnections)
	require.EqualValues(t, 4096, c.ResendBody)
	require.Equal(t, 5*time.Second, c.Grace)
	require.Equal(t, 2*time.Second, c.Drain)
	require.Equal(t, "unix:/run/admin.sock", c.AdminListen)
	require.Equal(t, 7, c.MaxPerClient)
	require.Equal(t, slog.LevelDebug, c.Level())
	require.True(t, c.Insecure)
	require.Equal(t, TLS{"cert.pem", "key.pem"}, c.TLS)
	require.Equal(t, Profiles{{Host: "api.example.com", Statuses: []int{402}, Fields: []validate.Field{
		{Name: "X-Used-1M", Holds: validate.HoldsUsed, Quota: 6000, Window: time.Minute},
	}}}, c.Profiles)
	github, example := c.Upstreams[0], c.Upstreams[1]
	require.Equal(t, "api.github.com", github.Name)
	require.Equal(t, 90*time.Second, github.MaxWait)
	require.Equal(t, -1, github.MaxRetries)
	require.Equal(t, "measured", github.Pacing)
	log, _ := newLog()
	for pacing, want := range map[string]headway.Pacing{"": headway.PaceEvenly, "evenly": headway.PaceEvenly, "measured": headway.PaceMeasured} {
		p, err := build(Config{Upstreams: []Upstream{{To: api, Pacing: pacing}}}, log)
		require.NoError(t, err)
		require.Equal(t, want, p.upstreams[0].transport.Pacing)
	}
	require.Equal(t, "example", example.Name)
	require.Equal(t, "example.localhost", example.Host)
	require.Equal(t, "X-Tenant", example.PartitionHeader)
	require.Empty(t, example.Pacing)
}

// A mistake is an error that names the field. It does not repeat a URL, which may have a password.
func TestMistakes(t *testing.T) {
	good := "upstreams: [{to: 'https://a'}]\n"
	for _, row := range []struct{ name, text, want string }{
		{"unknown field", good + "upstream: {}", `headway.yaml:2: unknown key "upstream"`},
		{"two unknown keys", good + "a: 1\nb: 2", `headway.yaml:2: unknown key "a"; headway.yaml:3: unknown key "b"`},
		{"a key twice", good + good, `headway.yaml:2: mapping key "upstreams" already defined at line 1`},
		{"a token in place of its file", good + "token: hunter2", `unknown key "token"`},
		{"a host with a port", good + "hosts:\n  - a\n  - 'b:80'", "headway.yaml:4: hosts must be"},
		{"a pattern of hosts", good + "hosts: ['*.a']", "hosts must be"},
		{"a word for a duration", good + "grace: soon", `headway.yaml:2: "soon" is not a duration such as 30s or 1m30s`},
		{"a number for a duration", good + "grace: 30", `headway.yaml:2: "30" is not a duration such as 30s`},
		{"a word for a number", good + "max-connections: many", `headway.yaml:2: "many" is not a whole number`},
		{"a word for a list", good + "hosts: a", `headway.yaml:2: "a" is not a list`},
		{"a list for a word", good + "listen: [a]", `headway.yaml:2: a list is not a text`},
		{"a word for a group", good + "tls: on", `headway.yaml:2: "on" is not a group of settings`},
		{"no YAML", good + "\tx", "headway.yaml:2: found character that cannot start any token"},
		{"two documents", good + "---\n", "headway.yaml: the file must have one document"},
		{"a port too large", good + "listen: 127.0.0.1:99999", "headway.yaml:2: listen must be a host and a port up to 65535"},
		{"no port", good + "admin-listen: localhost", "headway.yaml:2: admin-listen must be a host and a port"},
		{"a socket without a path", good + "listen: 'unix:'", "listen must be"},
		{"an upstream's port too large", "upstreams:\n- to: https://a:99999", "headway.yaml:2: to must begin with"},
		{"open to all", good + "listen: 0.0.0.0:8429", "headway.yaml:2: other machines can reach 0.0.0.0:8429: set hosts or token-file, or insecure"},
		{"open to all by a name", good + "listen: proxy.internal:8429", "other machines can reach"},
		{"admin open to all", good + "admin-listen: ':8430'", "headway.yaml:2: other machines can reach :8430"},
		{"half a certificate", good + "tls:\n  cert-file: a", "headway.yaml:2: tls needs both"},
		{"a level that is none", good + "log-level: loud", "headway.yaml:2: log-level must be debug, info, warn or error"},
		{"another scheme", "upstreams: [{to: 'ftp://a'}]", "to must begin"},
		{"user", "upstreams: [{to: 'https://user:hunter2@a'}]", "must not have a user"},
		{"query", "upstreams: [{to: 'https://a?key=hunter2'}]", "no query"},
		{"path without slash", "upstreams:\n- to: https://a\n  name: a\n  path: x", "headway.yaml:4: path must be"},
		{"path with an escape", "upstreams: [{to: 'https://a', path: '/a b'}]", "path must be"},
		{"host with path", "upstreams: [{to: 'https://a', host: 'b/c'}]", "host must be"},
		{"pacing", "upstreams: [{to: 'https://a', pacing: fast}]", "pacing must be"},
		{"same name", "upstreams: [{to: 'https://a', path: /a}, {to: 'https://a', path: /b}]", "headway.yaml:1: two upstreams have the name a"},
		{"no path", "upstreams:\n- to: https://a\n- to: https://b", "headway.yaml:3: two upstreams have all paths"},
		{"same path", "upstreams: [{to: 'https://a', path: /p, host: c}, {to: 'https://b', path: /p, host: C}]", "two upstreams have the path /p of host c"},
		{"fleet at two places", good + "fleet: {folder: /run/f, url: 'redis://:hunter2@a', key-file: k}", "not both"},
		{"fleet without key", good + "fleet: {url: 'redis://:hunter2@a'}", "needs both"},
		{"unknown key of a profile", good + "profiles: [{host: a, fields: [{name: b, windw: 1m}]}]", `headway.yaml:2: profiles[0]: host "a": unknown key "windw"`},
		{"a duration without a unit", good + "profiles: [{host: a, min-wait: 60}]", `headway.yaml:2: profiles[0]: host "a": min-wait is a number, not a duration such as 30s`},
		{"nothing", "", "headway.yaml: there is no upstream"},
	} {
		t.Run(row.name, func(t *testing.T) {
			c, err := ReadConfig("headway.yaml", []byte(row.text))
			if err == nil {
				err = c.Check()
			}
			require.ErrorContains(t, err, row.want)
			require.NotContains(t, err.Error(), "hunter2")
		})
	}
}

func FuzzReadConfig(f *testing.F) {
	f.Add([]byte("upstreams: [{to: 'https://a', path: /a, max-wait: 1s}]"))
	f.Add([]byte("a: &a [*a]"))
	f.Add([]byte("profiles: [{host: a, statuses: [402], fields: [{name: b, holds: used, quota: 9, window: 1m}]}]"))
	f.Add([]byte("profiles: &a [{host: *a}]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := ReadConfig("headway.yaml", text)
		if err != nil || c.Check() != nil {
			return
		}
		c, err = c.complete()
		require.NoError(t, err)
		require.NotEmpty(t, c.Upstreams)
		for _, u := range c.Upstreams {
			require.NotEmpty(t, u.target.Hostname())
			require.Nil(t, u.target.User)
		}
	})
}
