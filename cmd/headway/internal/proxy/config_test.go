package proxy

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/validate"
)

func TestReadConfig(t *testing.T) {
	c, err := ReadConfig([]byte(`
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
	require.Equal(t, Profiles{{Host: "api.example.com", Statuses: []int{402}, Fields: []validate.Field{
		{Name: "X-Used-1M", Holds: validate.HoldsUsed, Quota: 6000, Window: time.Minute},
	}}}, c.Profiles)
	github, example := c.Upstreams[0], c.Upstreams[1]
	require.Equal(t, "api.github.com", github.Name)
	require.Equal(t, 90*time.Second, github.MaxWait)
	require.Equal(t, -1, github.MaxRetries)
	require.Equal(t, headway.PaceMeasured, github.pacing())
	require.Equal(t, "example", example.Name)
	require.Equal(t, "example.localhost", example.Host)
	require.Equal(t, "X-Tenant", example.PartitionHeader)
	require.Equal(t, headway.PaceEvenly, example.pacing())
}

// A mistake is an error that names the field. It does not repeat a URL, which may have a password.
func TestMistakes(t *testing.T) {
	good := "upstreams: [{to: 'https://a'}]\n"
	for _, row := range []struct{ name, text, want string }{
		{"unknown field", good + "upstream: {}", `line 2: unknown key "upstream"`},
		{"two unknown keys", good + "a: 1\nb: 2", `line 2: unknown key "a"; line 3: unknown key "b"`},
		{"a key twice", good + good, `"upstreams" already defined`},
		{"a token in place of its file", good + "token: hunter2", `unknown key "token"`},
		{"a host with a port", good + "hosts: ['a:80']", "hosts must be"},
		{"a pattern of hosts", good + "hosts: ['*.a']", "hosts must be"},
		{"wrong type", good + "grace: soon", "soon"},
		{"another scheme", "upstreams: [{to: 'ftp://a'}]", "to must begin"},
		{"user", "upstreams: [{to: 'https://user:hunter2@a'}]", "must not have a user"},
		{"query", "upstreams: [{to: 'https://a?key=hunter2'}]", "no query"},
		{"path without slash", "upstreams: [{to: 'https://a', path: x}]", "path must be"},
		{"path with an escape", "upstreams: [{to: 'https://a', path: '/a b'}]", "path must be"},
		{"host with path", "upstreams: [{to: 'https://a', host: 'b/c'}]", "host must be"},
		{"pacing", "upstreams: [{to: 'https://a', pacing: fast}]", "pacing must be"},
		{"same name", "upstreams: [{to: 'https://a', path: /a}, {to: 'https://a', path: /b}]", "upstream 2: another one has the name a"},
		{"same path", "upstreams: [{to: 'https://a'}, {to: 'https://b'}]", "upstream 2: another one has the path"},
		{"fleet at two places", good + "fleet: {folder: /run/f, url: 'redis://:hunter2@a', key-file: k}", "not both"},
		{"fleet without key", good + "fleet: {url: 'redis://:hunter2@a'}", "needs both"},
		{"unknown key of a profile", good + "profiles: [{host: a, fields: [{name: b, windw: 1m}]}]", `profiles[0]: host "a": json: unknown field "windw"`},
		{"a duration without a unit", good + "profiles: [{host: a, min-wait: 60}]", "min-wait"},
	} {
		t.Run(row.name, func(t *testing.T) {
			c, err := ReadConfig([]byte(row.text))
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
		c, err := ReadConfig(text)
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
