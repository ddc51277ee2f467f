package parse_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/parse"
)

// limitCounts returns the result for a -Limit field with a quota and policies; all other numbers are unknown.
func limitCounts(limit int64, policies ...policy) counts {
	return counts{Present: true, Limit: limit, Remaining: unknown, Used: unknown, Window: unknown, Policies: policies}
}

func quota(q, w int64) policy { return policy{Quota: q, Window: w, Unit: limits.Requests} }

func TestLimit(t *testing.T) {
	perIP := quota(10, 1)
	perIP.Name = "per-ip"
	window := limitCounts(unknown)
	window.Window = time.Minute
	ratio := limitCounts(40)
	ratio.Used = 32
	for _, c := range []struct {
		name   string
		value  string
		want   counts
		err    error
		offset int
	}{
		{name: "number", value: "100", want: limitCounts(100)},
		{name: "tollbooth", value: "20.00", want: limitCounts(20)},
		{name: "zero", value: "0", want: limitCounts(0)},
		{name: "draft-polli-00", value: `100, 100;window=60;comment="x"`, want: limitCounts(100, quota(100, 60))},
		{name: "draft-polli-01", value: `100, 100;w=60;comment="x, \"y\"", 1000;w=3600`, want: limitCounts(100, quota(100, 60), quota(1000, 3600))},
		{name: "white space around semicolon", value: "100, 100 ; w=60\t; comment=a", want: limitCounts(100, quota(100, 60))},
		{name: "Envoy", value: `10, 10;w=1;name="per-ip", 1000;w=3600`, want: limitCounts(10, perIP, quota(1000, 3600))},
		{name: "Envoy's duplicates", value: `10, 10;w=1, 10;w=1`, want: limitCounts(10, quota(10, 1), quota(10, 1))},
		{name: "Docker Hub", value: "100;w=21600", want: limitCounts(100, quota(100, 21600))},
		{name: "repeated by a proxy", value: "100, 100", want: limitCounts(100)},
		{name: "AspNetCoreRateLimit", value: "1m", want: window},
		{name: "used and quota", value: "32/40", want: ratio},
		{name: "bad window of one policy", value: `100, 100;w=0, 1000;w=3600`, want: limitCounts(100, quota(1000, 3600)), err: parse.ErrRange, offset: 5},
		{name: "20 digits", value: "99999999999999999999", want: limitCounts(9223372036854775807)},

		{name: "Strava", value: "600,30000", err: parse.ErrConflict, offset: 4},
		{name: "thousands separator", value: "5,000", err: parse.ErrConflict, offset: 2},
		{name: "negative", value: "-1", want: counts{Present: true, Unlimited: true, Limit: unknown, Remaining: unknown, Used: unknown, Window: unknown}},
		{name: "unlimited", value: "unlimited", err: parse.ErrNumber},
		{name: "empty", value: "", err: parse.ErrMissing, offset: -1},
		{name: "junk behind a policy", value: `100, 100;w=60 x`, err: parse.ErrSyntax, offset: 14},
		{name: "unclosed comment", value: `100, 100;w=60;comment="x`, err: parse.ErrTruncated, offset: 24},
		{name: "Salesforce", value: "api-usage=18/5000", err: parse.ErrNumber},
		{name: "fraction of fractions", value: "32/40/50", err: parse.ErrSyntax, offset: 2},
		{name: "negative window", value: "-1m", err: parse.ErrSyntax, offset: 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := readLimit([]string{c.value})
			requireFault(t, err, c.err, c.offset)
			require.Equal(t, c.want, got)
		})
	}
}

func TestLimitLines(t *testing.T) {
	got, err := readLimit([]string{"100", "100;w=60", "1000;w=3600"})
	require.NoError(t, err, "policies on lines of their own")
	require.Equal(t, limitCounts(100, quota(100, 60), quota(1000, 3600)), got)

	got, err = readLimit([]string{"100", "60", "x"})
	requireFault(t, err, parse.ErrConflict, 5)
	require.Equal(t, int64(60), got.Limit, "the smallest quota")

	got, err = readLimit(nil)
	require.NoError(t, err)
	require.Zero(t, got)

	got, err = readLimit(make([]string, parse.MaxLines+1))
	requireFault(t, err, parse.ErrTooMany, -1)
	require.Zero(t, got)
}
