package parse_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/parse"
)

func TestRateLimitPolicy(t *testing.T) {
	for _, c := range []struct {
		name   string
		value  string
		want   []policy
		err    error
		offset int
	}{
		{name: "draft 10", value: `"default";q=100;w=60`, want: []policy{{Name: "default", Quota: 100, Window: 60, Unit: limits.Requests}}},
		{name: "token as name", value: `quota;q=100;w=1`, want: []policy{{Name: "quota", Quota: 100, Window: 1, Unit: limits.Requests}}},
		{name: "no window", value: `"a";q=1`, want: []policy{{Name: "a", Quota: 1, Window: unknown, Unit: limits.Requests}}},
		{name: "quota of zero", value: `"a";q=0;w=1`, want: []policy{{Name: "a", Window: 1, Unit: limits.Requests}}},
		{
			name: "express-rate-limit", value: `"5-in-1min"; q=5; w=60; pk=:MmMyNmI0NmI2OGZm:`,
			want: []policy{{Name: "5-in-1min", Quota: 5, Window: 60, Unit: limits.Requests, PartitionKey: "MmMyNmI0NmI2OGZm"}},
		},
		{
			name: "PyPI", value: `"project.create.user";q=4;w=86400;pk=:user:`,
			want: []policy{{Name: "project.create.user", Quota: 4, Window: 86400, Unit: limits.Requests, PartitionKey: "user"}},
		},
		{
			name: "all parameters", value: `"a";q=65535;qu="content-bytes";w=10;pk=:sdfjLJUOUH==:`,
			want: []policy{{Name: "a", Quota: 65535, Window: 10, Unit: limits.ContentBytes, PartitionKey: "sdfjLJUOUH=="}},
		},
		{name: "unit: requests", value: `"a";q=1;qu="requests"`, want: []policy{{Name: "a", Quota: 1, Window: unknown, Unit: limits.Requests}}},
		{name: "unit: request", value: `"a";q=1;qu="request"`, want: []policy{{Name: "a", Quota: 1, Window: unknown, Unit: limits.Requests}}},
		{name: "unit: concurrent-requests", value: `"a";q=1;qu="concurrent-requests"`, want: []policy{{Name: "a", Quota: 1, Window: unknown, Unit: limits.ConcurrentRequests}}},
		{name: "unit: a vendor's", value: `"a";q=1;qu="tokens"`, want: []policy{{Name: "a", Quota: 1, Window: unknown, Unit: "tokens"}}},
		{name: "unit: empty", value: `"a";q=1;qu=""`, want: []policy{{Name: "a", Quota: 1, Window: unknown, Unit: limits.Requests}}},
		{name: "unit: Token", value: `"a";q=1;qu=tokens`, want: []policy{{Name: "a", Quota: 1, Window: unknown, Unit: "tokens"}}},
		{name: "unit: Integer", value: `"a";q=1;qu=5`, err: parse.ErrType},
		{name: "last of a repeated parameter", value: `"a";q=1;q=2;w=x;w=3`, want: []policy{{Name: "a", Quota: 2, Window: 3, Unit: limits.Requests}}},
		{name: "no padding", value: `"a";q=1;pk=:YQ:`, want: []policy{{Name: "a", Quota: 1, Window: unknown, Unit: limits.Requests, PartitionKey: "YQ"}}},

		{name: "no quota", value: `"a";w=60, "b";q=1`, want: []policy{{Name: "b", Quota: 1, Window: unknown, Unit: limits.Requests}}, err: parse.ErrMissing},
		{name: "quota is a Decimal", value: `"a";q=1.5`, err: parse.ErrType},
		{name: "quota is negative", value: `"a";q=-1`, err: parse.ErrRange},
		{name: "window of zero", value: `"a";q=1;w=0`, err: parse.ErrRange},
		{name: "window is negative", value: `"a";q=1;w=-5`, err: parse.ErrRange},
		{name: "window is a String", value: `"a";q=1;w="5"`, err: parse.ErrType},
		{name: "pk is a Token", value: `"a";q=1;pk=abc`, err: parse.ErrType},
		{name: "pk is not base64", value: `"a";q=1;pk=:a-c=:, "b";q=1`, err: parse.ErrSyntax, offset: 13},
		{name: "pk with too little to decode", value: `"a";q=1;pk=:a:`, err: parse.ErrSyntax, offset: 13},
		{name: "pk with too much padding", value: `"a";q=1;pk=:aGVsbG8==:`, err: parse.ErrSyntax, offset: 21},
		{name: "hugging face", value: `"fixed window";"api";q=500;w=300`, err: parse.ErrSyntax, offset: 15},

		{name: "draft 06", value: `5;w=60`, want: []policy{{Quota: 5, Window: 60, Unit: limits.Requests}}},
		{name: "Bluesky", value: `3000;w=300`, want: []policy{{Quota: 3000, Window: 300, Unit: limits.Requests}}},
		{
			name: "draft 04", value: `100;w=60, 1000;w=3600`,
			want: []policy{{Quota: 100, Window: 60, Unit: limits.Requests}, {Quota: 1000, Window: 3600, Unit: limits.Requests}},
		},
		{name: "draft 07 with comments", value: `10;w=1;comment="a \"b\"";burst=1000;policy="token bucket"`, want: []policy{{Quota: 10, Window: 1, Unit: limits.Requests}}},
		{name: "draft 07, other parameters are comments", value: `10;w=1;qu=5;pk=6;q=7`, want: []policy{{Quota: 10, Window: 1, Unit: limits.Requests}}},
		{name: "draft 07 without a window", value: `10`, err: parse.ErrMissing},
		{name: "draft 07 with a Decimal", value: `10.0;w=1`, err: parse.ErrType},
		{name: "draft 07, negative", value: `-10;w=1`, err: parse.ErrRange},
		{
			name: "both kinds", value: `10;w=1, "a";q=5`,
			want: []policy{{Quota: 10, Window: 1, Unit: limits.Requests}, {Name: "a", Quota: 5, Window: unknown, Unit: limits.Requests}},
		},
		{name: "dictionary", value: `limit=100, w=60`, err: parse.ErrSyntax, offset: 5},
		{name: "empty", value: ``},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := readPolicy([]string{c.value})
			requireFault(t, err, c.err, c.offset)
			require.Equal(t, c.want, nonEmpty(got))
		})
	}
}
