package parse_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/parse"
)

const unknown = parse.Unknown

// requireFault checks that err is an *parse.Error for want at offset, or nil if want is nil.
func requireFault(t *testing.T, err, want error, offset int) {
	t.Helper()
	if want == nil {
		require.NoError(t, err)
		return
	}
	require.ErrorIs(t, err, want)
	var e *parse.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, offset, e.Offset, "offset")
	require.NotEmpty(t, e.Field)
}

func TestRateLimit(t *testing.T) {
	limit := func(name string, r, reset int64) serviceLimit {
		return serviceLimit{Name: name, Quota: unknown, Remaining: r, Reset: reset}
	}
	for _, c := range []struct {
		name   string
		value  string
		want   []serviceLimit
		err    error
		offset int
	}{
		{name: "draft 10", value: `"default";r=50;t=30`, want: []serviceLimit{limit("default", 50, 30)}},
		{name: "space after semicolon", value: `"5-in-1min"; r=4; t=60`, want: []serviceLimit{limit("5-in-1min", 4, 60)}},
		{name: "hugging face", value: `"api";r=495;t=140`, want: []serviceLimit{limit("api", 495, 140)}},
		{name: "token as name, no r", value: `quota;t=1`, want: []serviceLimit{limit("quota", unknown, 1)}},
		{name: "no t", value: `"a";r=0`, want: []serviceLimit{limit("a", 0, unknown)}},
		{name: "neither r nor t", value: `"a";q=9`, err: parse.ErrMissing},
		{name: "empty name", value: `"";r=1`, want: []serviceLimit{limit("", 1, unknown)}},
		{name: "escaped name", value: `"a\"\\b";r=1`, want: []serviceLimit{limit(`a"\b`, 1, unknown)}},
		{name: "comma and semicolon in name", value: `"a,b;r=9";r=1`, want: []serviceLimit{limit("a,b;r=9", 1, unknown)}},
		{name: "two items", value: `"a";r=1;t=2,"b";r=3`, want: []serviceLimit{limit("a", 1, 2), limit("b", 3, unknown)}},
		{name: "white space around comma", value: "\"a\";r=1 \t,\t \"b\";r=3\t", want: []serviceLimit{limit("a", 1, unknown), limit("b", 3, unknown)}},
		{
			name: "more than fit in place", value: `a;r=1, b;r=2, c;r=3, d;r=4, e;r=5`,
			want: []serviceLimit{limit("a", 1, unknown), limit("b", 2, unknown), limit("c", 3, unknown), limit("d", 4, unknown), limit("e", 5, unknown)},
		},
		{name: "partition key", value: `"a";r=1;pk=:cHsdsRa894==:`, want: []serviceLimit{{Name: "a", Quota: unknown, Remaining: 1, Reset: unknown, PartitionKey: "cHsdsRa894=="}}},
		{name: "last of a repeated parameter", value: `"a";r="x";r=1;r=7;t=5`, want: []serviceLimit{limit("a", 7, 5)}},
		{name: "last of a repeated parameter is wrong", value: `"a";r=7;r="x";t=5`, err: parse.ErrType},
		{name: "unknown parameters", value: `"a";x;y=?0;z=1.5;d=@5;u=%"%c3%bc";b=::;r=1;*-_.=tok/en:`, want: []serviceLimit{limit("a", 1, unknown)}},
		{name: "15 digits", value: `"a";r=999999999999999;t=5`, want: []serviceLimit{limit("a", 999999999999999, 5)}},
		{name: "16 digits", value: `"a";r=1000000000000000;t=5`, err: parse.ErrTooLong, offset: 21},
		{name: "leading zeros", value: `"a";r=007`, want: []serviceLimit{limit("a", 7, unknown)}},
		{name: "minus zero", value: `"a";r=-0`, want: []serviceLimit{limit("a", 0, unknown)}},

		{name: "r is a Decimal", value: `"a";r=1.0, "b";r=2`, want: []serviceLimit{limit("b", 2, unknown)}, err: parse.ErrType},
		{name: "r is a String", value: `"b";r=2, "a";r="1"`, want: []serviceLimit{limit("b", 2, unknown)}, err: parse.ErrType, offset: 9},
		{name: "r is Boolean", value: `"a";r`, err: parse.ErrType},
		{name: "r is negative", value: `"a";r=-1;t=5`, err: parse.ErrRange},
		{name: "t is a Date", value: `"a";r=1;t=@5`, err: parse.ErrType},
		{name: "pk is a String", value: `"a";r=1;pk="x"`, err: parse.ErrType},
		{name: "inner list", value: `("a" "b");r=1, "c";r=2`, want: []serviceLimit{limit("c", 2, unknown)}, err: parse.ErrType},
		{name: "nested inner list", value: `("a" ("b"));r=1`, err: parse.ErrSyntax, offset: 5},
		{name: "bare number", value: `100`, err: parse.ErrMissing},
		{name: "long name", value: `"` + strings.Repeat("a", parse.MaxText+1) + `";r=1`, err: parse.ErrTooLong},

		{name: "trailing comma", value: `"a";r=1,`, err: parse.ErrTruncated, offset: 8},
		{name: "empty member", value: `"a";r=1,,"b";r=2`, err: parse.ErrSyntax, offset: 8},
		{name: "trailing semicolon", value: `"a";r=1;`, err: parse.ErrTruncated, offset: 8},
		{name: "space before semicolon", value: `"a" ;r=1`, err: parse.ErrSyntax, offset: 4},
		{name: "tab after semicolon", value: "\"a\";\tr=1", err: parse.ErrSyntax, offset: 4},
		{name: "spaces around equals sign", value: `"a";r = 1`, err: parse.ErrSyntax, offset: 6},
		{name: "upper-case key", value: `"a";R=1`, err: parse.ErrSyntax, offset: 4},
		{name: "plus sign", value: `"a";r=+1`, err: parse.ErrSyntax, offset: 6},
		{name: "unclosed string", value: `"a;r=1`, err: parse.ErrTruncated, offset: 6},
		{name: "bad escape", value: `"\a";r=1`, err: parse.ErrSyntax, offset: 2},
		{name: "control character", value: "\"a\x01\";r=1", err: parse.ErrSyntax, offset: 2},
		{name: "not ASCII", value: `"ü";r=1`, err: parse.ErrSyntax, offset: 1},
		{name: "leading tab", value: "\t\"a\";r=1", err: parse.ErrSyntax},
		{name: "error after good items", value: `"a";r=1, "b";r=2, "c";r=`, err: parse.ErrTruncated, offset: 24},
		{name: "empty", value: ``},
		{name: "spaces", value: `  `},

		{name: "draft 07", value: `limit=100, remaining=50, reset=5`, want: []serviceLimit{{Quota: 100, Remaining: 50, Reset: 5}}},
		{name: "draft 07, express-rate-limit", value: `limit=5, remaining=4, reset=60`, want: []serviceLimit{{Quota: 5, Remaining: 4, Reset: 60}}},
		{name: "draft 07 without remaining", value: `limit=100, reset=5`, want: []serviceLimit{{Quota: 100, Remaining: unknown, Reset: 5}}},
		{name: "draft 07 with strangers", value: `x=(1 2);y, limit=100;w=60, remaining=50;a=b, reset=5, z`, want: []serviceLimit{{Quota: 100, Remaining: 50, Reset: 5}}},
		{name: "draft 07, last of a repeated key", value: `limit=1, remaining=1, limit=100, reset=5`, want: []serviceLimit{{Quota: 100, Remaining: 1, Reset: 5}}},
		{name: "draft 11", value: `"x";a=5;w=30`, want: []serviceLimit{{Name: "x", Quota: unknown, Remaining: 5, Reset: 30}}},
		{name: "draft 11 beside draft 10", value: `"x";a=5;w=30;r=4;t=20`, want: []serviceLimit{{Name: "x", Quota: unknown, Remaining: 4, Reset: 20}}},
		{name: "a and w of other types", value: `"x";r=4;w="1m";a=1.5`, want: []serviceLimit{{Name: "x", Quota: unknown, Remaining: 4, Reset: unknown}}},
		{name: "the quota and window of a policy", value: `"x";q=9;w=30;r=4`, want: []serviceLimit{{Name: "x", Quota: 9, Remaining: 4, Reset: unknown}}},
		{name: "the names of draft 07 as parameters", value: `"x";r=1;t=2;limit=9;remaining=4;reset="soon"`, want: []serviceLimit{{Name: "x", Quota: unknown, Remaining: 1, Reset: 2}}},
		{name: "wrong values of what policies have", value: `"x";r=1;t=2;q=9;w=0;qu=7;c="per ip"`, want: []serviceLimit{{Name: "x", Quota: 9, Remaining: 1, Reset: 2}}},
		{name: "draft 11 as a dictionary", value: `a=4, w=3`, want: []serviceLimit{{Quota: unknown, Remaining: 4, Reset: 3}}},
		{name: "draft 07, reset is never an epoch", value: `limit=1, remaining=1, reset=1372700873`, want: []serviceLimit{{Quota: 1, Remaining: 1, Reset: 1372700873}}},
		{name: "draft 07, limit alone", value: `limit=100`, err: parse.ErrMissing},
		{name: "draft 07, negative", value: `limit=100, remaining=-1, reset=5`, err: parse.ErrRange},
		{name: "draft 07, Boolean", value: `limit, remaining=1, reset=5`, err: parse.ErrType},
		{name: "draft 07, Inner List", value: `limit=(1), remaining=1, reset=5`, err: parse.ErrType},
		{name: "draft 07, syntax", value: `limit=100, remaining=50; reset=5,`, err: parse.ErrTruncated, offset: 33},
		{name: "draft 07, semicolons", value: `limit=100; remaining=50; reset=5`, err: parse.ErrMissing},
		{name: "another dictionary", value: `x=1, y=2`, err: parse.ErrMissing},
		{name: "words", value: `none`, err: parse.ErrMissing},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := readRateLimit([]string{c.value})
			requireFault(t, err, c.err, c.offset)
			require.Equal(t, c.want, nonEmpty(got))
		})
	}
}

// The key of RateLimit-Partition is for validate to join: the rows keep their own.
func TestRateLimitPartition(t *testing.T) {
	for _, c := range []struct {
		name   string
		value  string
		want   string
		err    error
		offset int
	}{
		{name: "draft 11", value: `:cHsdsRa894==:`, want: "cHsdsRa894=="},
		{name: "with parameters and spaces", value: ` :YQ==:;x=1 `, want: "YQ=="},
		{name: "empty key", value: `::`},
		{name: "String", value: `"YQ=="`, err: parse.ErrType},
		{name: "Token", value: `YQ`, err: parse.ErrType},
		{name: "Inner List", value: `(:YQ==:)`, err: parse.ErrSyntax},
		{name: "list", value: `:YQ==:, :YQ==:`, err: parse.ErrSyntax, offset: 6},
		{name: "not base64", value: `:a-b:`, err: parse.ErrSyntax, offset: 2},
		{name: "cut off", value: `:YQ==`, err: parse.ErrTruncated, offset: 5},
		{name: "long key", value: ":" + strings.Repeat("a", parse.MaxText+4) + ":", err: parse.ErrTooLong},
		{name: "nothing", value: ``, err: parse.ErrTruncated},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := readField("RateLimit-Partition", []string{c.value}, func(f *parse.Fields) string { return f.Partition })
			requireFault(t, err, c.err, c.offset)
			require.Equal(t, c.want, got)
		})
	}
}

// c is the cost of the request. It is no number of a policy.
func TestCostOfTheRequest(t *testing.T) {
	for value, want := range map[string]int64{
		`"a";r=1;c=70`: 70, `"a";r=1;c=0`: unknown, `"a";r=1`: unknown, `remaining=1, c=70`: 70,
		`"a";r=1;c=1.5`: unknown, `"a";r=1;c="70"`: unknown, `"a";r=1;c=-1`: unknown,
	} {
		f := parse.Header(http.Header{"Ratelimit": {value}, "Ratelimit-Policy": {`"b";q=1;c=x`}})
		require.Empty(t, f.Problems, value)
		require.Equal(t, want, f.Rows[0].Cost, value)
		require.EqualValues(t, unknown, f.Rows[1].Cost)
	}
	got, err := readRateLimit([]string{`"a";c=70`})
	require.Error(t, err)
	require.Empty(t, got)
}

func TestRateLimitLines(t *testing.T) {
	got, err := readRateLimit([]string{`"a";r=1`, ` "b";r=2 `})
	require.NoError(t, err)
	require.Len(t, got, 2)

	got, err = readRateLimit([]string{`"a";r=1`, ``})
	requireFault(t, err, parse.ErrTruncated, 9)
	require.Empty(t, got)

	got, err = readRateLimit([]string{`limit=1`, `remaining=2, reset=3`})
	require.NoError(t, err)
	require.Equal(t, []serviceLimit{{Quota: 1, Remaining: 2, Reset: 3}}, got)

	got, err = readRateLimit([]string{`"a`, `b";r=1`})
	require.NoError(t, err, "lines are joined before they are read (RFC 9651 §4.2)")
	require.Equal(t, "a, b", got[0].Name)
}

// nonEmpty turns an empty slice into nil, for comparison.
func nonEmpty[T any](s []T) []T {
	if len(s) == 0 {
		return nil
	}
	return s
}
