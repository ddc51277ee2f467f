package proxy

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

// With hosts a proxy that other machines reach answers to these names and to those of this machine. So a name that a web page
// has rebound to it is refused there, too. Checks of health come under any name.
func TestHosts(t *testing.T) {
	for _, row := range []struct {
		name, host, field string
		isOnLoopback      bool
		want, probe       int
	}{
		{"configured", "headway.internal:8429", "", false, 200, 200},
		{"a configured address", "192.0.2.1:8429", "", false, 200, 200},
		{"a configured IPv6 address", "[2001:DB8::1]:8429", "", false, 200, 200},
		{"a rebound name", "evil.com:8429", "", false, 421, 200},
		{"a name below it", "evil.headway.internal", "", false, 421, 200},
		{"its own page", "headway.internal", "Origin: http://headway.internal", false, 200, 200},
		{"another site's page", "headway.internal", "Origin: https://evil.com", false, 403, 200},
		{"configured, on loopback", "headway.internal", "", true, 200, 200},
		{"a rebound name, on loopback", "evil.com", "", true, 421, 421},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := guarded(t, Config{
				Hosts:     []string{"Headway.internal", "192.0.2.1", "2001:db8::1"},
				Upstreams: []Upstream{{To: api}, {To: "https://b", Host: "api.test"}},
			})
			s.isExposed = !row.isOnLoopback
			fields := []string{"Host: " + row.host}
			if row.field != "" {
				fields = append(fields, row.field)
			}
			require.Equal(t, row.want, get(t.Context(), s, "/", fields...).StatusCode)
			require.Equal(t, row.want, get(t.Context(), s, metricsPath, fields...).StatusCode)
			require.Equal(t, row.probe, get(t.Context(), s, healthPath, fields...).StatusCode)
		})
	}
}

// guarded makes a server whose upstreams echo, in memory.
func guarded(t *testing.T, c Config) *server {
	t.Helper()
	log, _ := newLog()
	p, err := build(c, log)
	require.NoError(t, err)
	for _, u := range p.upstreams {
		u.transport.Base = served(echo)
	}
	return p.server
}

// With a token file all but checks of health needs one of its tokens. No token reaches the upstream, the response or the log.
func TestToken(t *testing.T) {
	const first, second = "hunter2-hunter2-1", "hunter2-hunter2-2"
	file := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(file, []byte(first+"\r\n\n  "+second+"\n"), 0o600))
	for _, row := range []struct {
		name   string
		fields []string
		want   int
		title  string
	}{
		{"the first", []string{"Headway-Token: " + first}, 200, ""},
		{"the second", []string{"headway-token: " + second}, 200, ""},
		{"none", nil, 401, "the request has no token"},
		{"wrong", []string{"Headway-Token: " + first[:16]}, 401, "the field Headway-Token has no token"},
		{"both", []string{"Headway-Token: " + first, "Headway-Token: " + second}, 401, "the field Headway-Token has no token"},
		{"as a credential", []string{"Authorization: Bearer " + first}, 401, "the request has no token"},
		{"an underscore", []string{"Headway_Token: " + first}, 401, "the request has no token"},
	} {
		t.Run(row.name, func(t *testing.T) {
			base, allowed := limited(&ratelimittest.TokenBucket{Policy: ratelimittest.Per(9, 1)})
			log, text := newLog()
			p, err := build(Config{Upstreams: []Upstream{{To: api}}, TokenFile: file}, log)
			require.NoError(t, err)
			p.upstreams[0].transport.Base = base
			p.server.isExposed = true
			for _, path := range []string{"/", debugPath, metricsPath} {
				resp := get(t.Context(), p.server, path, row.fields...)
				require.Equal(t, row.want, resp.StatusCode)
				if row.want != 200 {
					require.Equal(t, tokenField, resp.Header.Get("WWW-Authenticate"))
					answer := textOf(t, resp)
					require.Contains(t, answer, row.title)
					require.Contains(t, answer, "headway proxy")
					require.NotContains(t, answer, "hunter2")
				}
			}
			require.Equal(t, 200, get(t.Context(), p.server, healthPath).StatusCode)
			require.Len(t, allowed.queries(), map[int]int{200: 1}[row.want])
			if row.want == 200 {
				require.NotContains(t, allowed.last(t).Header, tokenField)
			}
			require.NotContains(t, text.String(), "hunter2")
		})
	}
}

// A token file that cannot be used ends the start, with an error that has no token.
func TestTokenFileThatCannotBeUsed(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"empty", " \n", "has no token"},
		{"short", "hunter2", "at least 16"},
		{"bytes", strings.Repeat("\xff", 32), "visible"},
	} {
		t.Run(row.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "token")
			require.NoError(t, os.WriteFile(file, []byte(row.text), 0o600))
			log, text := newLog()
			_, err := build(Config{Upstreams: []Upstream{{To: api}}, TokenFile: file}, log)
			require.ErrorContains(t, err, row.want)
			require.NotContains(t, err.Error()+text.String(), "hunter2")
		})
	}
	log, _ := newLog()
	_, err := build(Config{Upstreams: []Upstream{{To: api}}, TokenFile: filepath.Join(t.TempDir(), "missing")}, log)
	require.ErrorContains(t, err, "the token: ")
}
