package proxy

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

// A proxy for this machine answers to names of this machine and of upstreams, and to its pages: a page of another site makes a
// browser send requests. One that other machines reach answers to all names, or with hosts to these and those of this machine.
// So a name that a web page has rebound to it is refused there, too. Checks of health come under any name then.
func TestHosts(t *testing.T) {
	const here, open, guarded = "here", "open", "guarded" // for this machine, for others, and for others with hosts
	for _, row := range []struct {
		name, of, host, field string
		want                  int
	}{
		{"localhost", here, "localhost:8429", "", 200},
		{"IPv4", here, "127.0.0.1:8429", "", 200},
		{"IPv6", here, "[::1]:8429", "", 200},
		{"IPv4 in IPv6", here, "[::ffff:127.0.0.1]", "", 200},
		{"configured for an upstream", here, "api.test:8429", "", 200},
		{"a web page's name", here, "evil.com:8429", "", 421},
		{"a name that ends so", here, "notlocalhost", "", 421},
		{"none", here, "", "", 421},
		{"a page of another site", here, "localhost", "Origin: https://evil.com", 403},
		{"a page in a sandbox", here, "localhost", "Origin: null", 403},
		{"a page of this machine", here, "localhost", "Origin: http://localhost:3000", 200},
		{"a page of a configured host", here, "localhost", "Origin: http://api.test", 200},
		{"the address bar", here, "localhost", "Sec-Fetch-Site: none", 200},
		{"open to other machines", open, "proxy.example:8429", "", 200},
		{"configured", guarded, "headway.internal:8429", "", 200},
		{"a configured address", guarded, "192.0.2.1:8429", "", 200},
		{"a configured IPv6 address", guarded, "[2001:DB8::1]:8429", "", 200},
		{"a rebound name", guarded, "evil.com:8429", "", 421},
		{"a name below it", guarded, "evil.headway.internal", "", 421},
		{"its own page", guarded, "headway.internal", "Origin: http://headway.internal", 200},
		{"another site's page", guarded, "headway.internal", "Origin: https://evil.com", 403},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := Config{Upstreams: []Upstream{{To: api}, {To: "https://b", Host: "API.test"}}}
			if row.of == guarded {
				c.Hosts = []string{"Headway.internal", "192.0.2.1", "2001:db8::1"}
			}
			log, _ := newLog()
			p, err := build(c, log)
			require.NoError(t, err)
			for _, u := range p.upstreams {
				u.base = served(echo)
			}
			p.server.Load().isExposed = row.of != here
			fields := []string{"Host: " + row.host}
			if row.field != "" {
				fields = append(fields, row.field)
			}
			require.Equal(t, row.want, get(t.Context(), p.server.Load(), "/", fields...).StatusCode)
			require.Equal(t, row.want, get(t.Context(), p.ownPages(), metricsPath, fields...).StatusCode)
			require.Equal(t, 200, get(t.Context(), p.ownPages(), healthPath, fields...).StatusCode)
		})
	}
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
		{"wrong", []string{"Headway-Token: " + first[:16]}, 401, "the request has no token"},
		{"both", []string{"Headway-Token: " + first, "Headway-Token: " + second}, 401, "the request has no token"},
		{"as a credential", []string{"Authorization: Bearer " + first}, 401, "the request has no token"},
		{"an underscore", []string{"Headway_Token: " + first}, 401, "the request has no token"},
	} {
		t.Run(row.name, func(t *testing.T) {
			base, allowed := limited(&ratelimittest.TokenBucket{Policy: ratelimittest.Per(9, 1)})
			log, text := newLog()
			p, err := build(Config{Upstreams: []Upstream{{To: api}}, TokenFile: file}, log)
			require.NoError(t, err)
			p.upstreams[0].base = base
			p.server.Load().isExposed = true
			pages := p.ownPages()
			for _, resp := range []*http.Response{
				get(t.Context(), p.server.Load(), "/", row.fields...),
				get(t.Context(), pages, debugPath, row.fields...), get(t.Context(), pages, metricsPath, row.fields...),
			} {
				require.Equal(t, row.want, resp.StatusCode)
				if row.want != 200 {
					require.Equal(t, tokenField, resp.Header.Get("WWW-Authenticate"))
					answer := textOf(t, resp)
					require.Contains(t, answer, row.title)
					require.Contains(t, answer, "headway proxy")
					require.NotContains(t, answer, "hunter2")
				}
			}
			require.Equal(t, 200, get(t.Context(), pages, healthPath).StatusCode)
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
