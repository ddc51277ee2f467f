package parse_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/parse"
)

// RateLimit is a list of draft 08 and later, or the dictionary of draft 07.
func TestRateLimit(t *testing.T) {
	testValues(t, "Ratelimit", "item", []valueRow{
		{"draft 10", `"default";r=50;t=30`, `"default" r=50 t=30s`},
		{"space after semicolon", `"5-in-1min"; r=4; t=60`, `"5-in-1min" r=4 t=1m0s`},
		{"token as name, no r", "quota;t=1", `"quota" t=1s`},
		{"neither r nor t", `"a";q=9`, "at 0: required value is missing"},
		{"escaped name", `"a\"\\b";r=1`, `"a\"\\b" r=1`},
		{"comma and semicolon in name", `"a,b;r=9";r=1`, `"a,b;r=9" r=1`},
		{"two items", `"a";r=1;t=2,"b";r=3`, `"a" r=1 t=2s | "b" r=3`},
		{"white space around comma", "\"a\";r=1 \t,\t \"b\";r=3\t", `"a" r=1 | "b" r=3`},
		{"partition key", `"a";r=1;pk=:cHsdsRa894==:`, `"a" r=1 key=cHsdsRa894==`},
		{"last of a repeated parameter", `"a";r="x";r=1;r=7;t=5`, `"a" r=7 t=5s`},
		{"last of a repeated parameter is wrong", `"a";r=7;r="x";t=5`, "at 0: value of the wrong type"},
		{"unknown parameters", `"a";x;y=?0;z=1.5;d=@5;u=%"%c3%bc";b=::;r=1;*-_.=tok/en:`, `"a" r=1`},
		{"15 digits", `"a";r=999999999999999;t=5`, `"a" r=999999999999999 t=5s`},
		{"16 digits", `"a";r=1000000000000000;t=5`, "at 21: too long"},
		{"minus zero", `"a";r=-0`, `"a" r=0`},
		{"r is a Decimal", `"a";r=1.0, "b";r=2`, `"b" r=2 | at 0: value of the wrong type`},
		{"r is Boolean", `"a";r`, "at 0: value of the wrong type"},
		{"r is negative", `"a";r=-1;t=5`, "at 0: number out of range"},
		{"t is a Date", `"a";r=1;t=@5`, "at 0: value of the wrong type"},
		{"pk is a String", `"a";r=1;pk="x"`, "at 0: value of the wrong type"},
		{"inner list", `("a" "b");r=1, "c";r=2`, `"c" r=2 | at 0: value of the wrong type`},
		{"nested inner list", `("a" ("b"));r=1`, "at 5: unexpected character"},
		{"bare number", "100", "at 0: required value is missing"},
		{"long name", `"` + strings.Repeat("a", parse.MaxText+1) + `";r=1`, "at 0: too long"},
		{"trailing comma", `"a";r=1,`, "at 8: unexpected end of the value"},
		{"trailing semicolon", `"a";r=1;`, "at 8: unexpected end of the value"},
		{"space before semicolon", `"a" ;r=1`, "at 4: unexpected character"},
		{"tab after semicolon", "\"a\";\tr=1", "at 4: unexpected character"},
		{"upper-case key", `"a";R=1`, "at 4: unexpected character"},
		{"unclosed string", `"a;r=1`, "at 6: unexpected end of the value"},
		{"bad escape", `"\a";r=1`, "at 2: unexpected character"},
		{"control character", "\"a\x01\";r=1", "at 2: unexpected character"},
		{"not ASCII", `"ü";r=1`, "at 1: unexpected character"},
		{"empty", "", ""},
		{"draft 07", "limit=100, remaining=50, reset=5", "draft07 q=100 r=50 t=5s"},
		{"draft 07 without remaining", "limit=100, reset=5", "draft07 q=100 t=5s"},
		{"draft 07 with strangers", "x=(1 2);y, limit=100;w=60, remaining=50;a=b, reset=5, z", "draft07 q=100 r=50 t=5s"},
		{"draft 07, last of a repeated key", "limit=1, remaining=1, limit=100, reset=5", "draft07 q=100 r=1 t=5s"},
		{"draft 11", `"x";a=5;w=30`, `"x" r=5 t=30s`},
		{"draft 11 beside draft 10", `"x";a=5;w=30;r=4;t=20`, `"x" r=4 t=20s`},
		{"a and w of other types", `"x";r=4;w="1m";a=1.5`, `"x" r=4`},
		{"the quota and window of a policy", `"x";q=9;w=30;r=4`, `"x" q=9 r=4 w=30s`},
		{"the names of draft 07 as parameters", `"x";r=1;t=2;limit=9;remaining=4;reset="soon"`, `"x" r=1 t=2s`},
		{"wrong values of what policies have", `"x";r=1;t=2;q=9;w=0;qu=7;c="per ip"`, `"x" q=9 r=1 t=2s`},
		{"draft 07, reset is never an epoch", "limit=1, remaining=1, reset=1372700873", "draft07 q=1 r=1 t=381305h47m53s"},
		{"draft 07, limit alone", "limit=100", "at 0: required value is missing"},
		{"draft 07, negative", "limit=100, remaining=-1, reset=5", "at 0: number out of range"},
		{"draft 07, syntax", "limit=100, remaining=50; reset=5,", "at 33: unexpected end of the value"},
		{"draft 07, semicolons", "limit=100; remaining=50; reset=5", "at 0: required value is missing"},
		{"words", "none", "at 0: required value is missing"},
	})
}

// RateLimit-Policy is a list, with names since draft 08. A syntax error drops all of it.
func TestRateLimitPolicy(t *testing.T) {
	testValues(t, "Ratelimit-Policy", "policy", []valueRow{
		{"draft 10", `"default";q=100;w=60`, `"default" q=100 w=1m0s`},
		{"no window", `"a";q=1`, `"a" q=1`},
		{"express-rate-limit", `"5-in-1min"; q=5; w=60; pk=:MmMyNmI0NmI2OGZm:`, `"5-in-1min" q=5 w=1m0s key=MmMyNmI0NmI2OGZm`},
		{"all parameters", `"a";q=65535;qu="content-bytes";w=10;pk=:sdfjLJUOUH==:`, `"a" unit=content-bytes q=65535 w=10s key=sdfjLJUOUH==`},
		{"unit: request", `"a";q=1;qu="request"`, `"a" q=1`},
		{"unit: concurrent-requests", `"a";q=1;qu="concurrent-requests"`, `"a" unit=concurrent-requests q=1`},
		{"unit: empty", `"a";q=1;qu=""`, `"a" q=1`},
		{"unit: Token", `"a";q=1;qu=tokens`, `"a" unit=tokens q=1`},
		{"unit: Integer", `"a";q=1;qu=5`, "at 0: value of the wrong type"},
		{"last of a repeated parameter", `"a";q=1;q=2;w=x;w=3`, `"a" q=2 w=3s`},
		{"no padding", `"a";q=1;pk=:YQ:`, `"a" q=1 key=YQ`},
		{"no quota", `"a";w=60, "b";q=1`, `"b" q=1 | at 0: required value is missing`},
		{"quota is a Decimal", `"a";q=1.5`, "at 0: value of the wrong type"},
		{"quota is negative", `"a";q=-1`, "at 0: number out of range"},
		{"window of zero", `"a";q=1;w=0`, "at 0: number out of range"},
		{"window is a String", `"a";q=1;w="5"`, "at 0: value of the wrong type"},
		{"pk is a Token", `"a";q=1;pk=abc`, "at 0: value of the wrong type"},
		{"pk is not base64", `"a";q=1;pk=:a-c=:, "b";q=1`, "at 13: unexpected character"},
		{"pk with too much padding", `"a";q=1;pk=:aGVsbG8==:`, "at 21: unexpected character"},
		{"hugging face", `"fixed window";"api";q=500;w=300`, "at 15: unexpected character"},
		{"draft 06", "5;w=60", `"" q=5 w=1m0s`},
		{"draft 04", "100;w=60, 1000;w=3600", `"" q=100 w=1m0s | "" q=1000 w=1h0m0s`},
		{"draft 07 with comments", `10;w=1;comment="a \"b\"";burst=1000;policy="token bucket"`, `"" q=10 w=1s`},
		{"draft 07, other parameters are comments", "10;w=1;qu=5;pk=6;q=7", `"" q=10 w=1s`},
		{"draft 07 without a window", "10", "at 0: required value is missing"},
		{"draft 07, negative", "-10;w=1", "at 0: number out of range"},
		{"both kinds", `10;w=1, "a";q=5`, `"" q=10 w=1s | "a" q=5`},
		{"dictionary", "limit=100, w=60", "at 5: unexpected character"},
		{"empty", "", ""},
		{"integer", "1234567890123456", "at 15: too long"},
		{"whole part of a Decimal", "1234567890123.1", "at 13: too long"},
		{"12 digits before the point", "999999999999.1", "at 0: value of the wrong type"},
		{"fraction of a Decimal", "1.2345", "at 5: too long"},
		{"no fraction", "1.a", "at 2: unexpected character"},
		{"sign", "-a", "at 1: unexpected character"},
		{"Boolean", "?2", "at 1: unexpected character"},
		{"Date", "@1.5", "at 4: unexpected character"},
		{"padding within a Byte Sequence", ":YQ==YQ==:", "at 5: unexpected character"},
		{"DEL in a String", "\"a\x7f\"", "at 2: unexpected character"},
		{"escape behind an escape", `"a\"b\c"`, "at 6: unexpected character"},
		{"control character behind an escape", "\"\\\"\x01\"", "at 3: unexpected character"},
		{"Display String", `%"%20"`, "at 0: value of the wrong type"},
		{"Display String, not UTF-8", `%"%c3"`, "at 5: unexpected character"},
		{"Display String, no quote", "%a", "at 1: unexpected character"},
		{"comma in an Inner List", "(a,b)", "at 2: unexpected character"},
		{"parameters in an Inner List", "(a;B)", "at 3: unexpected character"},
		{"brace in a Token", "a{;q=1", "at 1: unexpected character"},
		{"no comma", "a b", "at 2: unexpected character"},
	})
}

// The key of RateLimit-Partition is for validate to join: the rows keep their own.
func TestRateLimitPartition(t *testing.T) {
	testValues(t, "Ratelimit-Partition", "partition", []valueRow{
		{"draft 11", ":cHsdsRa894==:", "cHsdsRa894=="},
		{"with parameters and spaces", " :YQ==:;x=1 ", "YQ=="},
		{"empty key", "::", ""},
		{"String", `"YQ=="`, "at 0: value of the wrong type"},
		{"Inner List", "(:YQ==:)", "at 0: unexpected character"},
		{"cut off", ":YQ==", "at 5: unexpected end of the value"},
		{"long key", ":" + strings.Repeat("a", parse.MaxText+4) + ":", "at 0: too long"},
		{"nothing", "", "at 0: unexpected end of the value"},
	})
}

// TestPrefixes cuts valid values off at every byte. The prefix is valid, or truncated with the error at its end.
func TestPrefixes(t *testing.T) {
	for _, value := range []string{
		`"default";q=50;w=30`,
		`"a\"\\b";q=12;x=-12.345;pk=:YWJj:, tok/en;x;y=?1;z=@-5;q=1`,
		`%"f%c3%bc";a="b", ("x" y;z=1  2);w, ()`,
	} {
		for i := range len(value) {
			f := parse.Header(headerOf("RateLimit-Policy: " + value[:i]))
			for _, p := range f.Problems {
				isOfItem := errors.Is(p, parse.ErrType) || errors.Is(p, parse.ErrMissing)
				require.True(t, isOfItem || errors.Is(p, parse.ErrTruncated) && p.Offset == i && len(f.Rows) == 0, "%q: %v", value[:i], p)
			}
		}
	}
}
