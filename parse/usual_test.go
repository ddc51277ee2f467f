package parse_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/parse"
)

func TestUsual(t *testing.T) {
	const limit, policy = `"a";r=50;t=30`, `"a";q=100;w=60`
	pair := func(limit, policy string) http.Header {
		return http.Header{"Ratelimit": {limit}, "Ratelimit-Policy": {policy}}
	}
	trio := func(limit, remaining, reset string) http.Header {
		return http.Header{"X-Ratelimit-Limit": {limit}, "X-Ratelimit-Remaining": {remaining}, "X-Ratelimit-Reset": {reset}}
	}
	for _, test := range []struct {
		name   string
		header http.Header
		want   limits.Dialect // 0: no Usual
	}{
		{"pair", pair(limit, policy), limits.DialectRateLimit},
		{"a reset longer than any Duration", pair(`"a";r=50;t=9300000000`, policy), limits.DialectRateLimit},
		{"another policy", pair(limit, `"b";q=100;w=60`), 0},
		{"no name", pair(`"";r=50;t=30`, `"";q=100;w=60`), 0},
		{"no quota", pair(limit, `"a";q=0;w=60`), 0},
		{"two items", pair(limit+`, "b";r=1;t=2`, policy+`,"b"; q=9;w=8`), 0},
		{"t before r", pair(`"a";t=1;r=1`, `"a";q=5;w=5`), 0},
		{"spaces", pair(`"a"; r=1; t=5`, `"a";  q=5; w=5`), limits.DialectRateLimit},
		{"15 digits", pair(`"a";r=999999999999999;t=5`, policy), limits.DialectRateLimit},
		{"16 digits", pair(`"a";r=1000000000000000;t=5`, policy), 0},
		{"repeated", pair(`"a";r=1;t=5;r=2`, policy), 0},
		{"control character", pair("\"a\n\";r=1;t=5", "\"a\n\";q=5;w=5"), 0},
		{"unclosed", pair(`"a`, `"a`), 0},
		{"longer name of the policy", pair(limit, `"ab";q=100;w=60`), 0},
		{"partition key", pair(limit+";pk=:YQ==:", policy), 0},
		{"negative", pair(`"a";r=-1;t=5`, policy), 0},
		{"empty", pair("", ""), 0},
		{"one name twice", pair(limit+", "+limit, policy+", "+policy), 0},
		{"two lines", http.Header{"Ratelimit": {limit, limit}, "Ratelimit-Policy": {policy}}, 0},
		{"without its policy", http.Header{"Ratelimit": {limit}, "Age": {"0"}}, 0},
		{"trio", trio("100", "50", "30"), limits.DialectXRateLimit},
		{"epoch", trio("100", "50", "1772625630"), limits.DialectXRateLimit},
		{"negative", trio("100", "-1", "30"), 0},
		{"no limit", trio("0", "0", "30"), 0},
		{"of the drafts", http.Header{"Ratelimit-Limit": {"100"}, "Ratelimit-Remaining": {"50"}, "Ratelimit-Reset": {"30"}}, limits.DialectTrio},
		{"dashed", http.Header{"x-rate-limit-limit": {"100"}, "x-rate-limit-remaining": {"50"}, "x-rate-limit-reset": {"30"}}, limits.DialectXDashed},
		{"two families", http.Header{"Ratelimit-Limit": {"100"}, "X-Ratelimit-Remaining": {"50"}, "X-Ratelimit-Reset": {"30"}}, 0},
		{"one part twice", http.Header{"X-Ratelimit-Limit": {"100"}, "x-ratelimit-limit": {"50"}, "X-Ratelimit-Reset": {"30"}}, 0},
		{"with a label", http.Header{"X-Ratelimit-Limit-Day": {"100"}, "X-Ratelimit-Remaining-Day": {"50"}, "X-Ratelimit-Reset-Day": {"30"}}, 0},
		{"nothing", http.Header{}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := parse.Header(test.header)
			require.Equal(t, test.want != 0, f.IsUsual)
			if f.IsUsual {
				require.Equal(t, test.want, f.Rows[0].Family)
			}
			requireSame(t, test.header)
		})
	}
}

// requireSame checks that the fast way for usual fields has the result of the general one, which an Age needs.
func requireSame(t *testing.T, header http.Header) {
	t.Helper()
	want := parse.Header(header)
	want.IsUsual = false
	header.Set("Age", "0")
	require.Equal(t, want, parse.Header(header))
}
