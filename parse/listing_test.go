package parse_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/parse"
)

func TestUsages(t *testing.T) {
	const field, problem = "Sforce-Limit-Info: ", "problem Sforce-Limit-Info at "
	const usage = `other "api-usage" q=5000 used=18 w=24h0m0s`
	testFields(t, []fieldsRow{
		{"one", []string{field + "api-usage=18/5000"}, []string{usage}},
		{
			"two",
			[]string{field + "api-usage=18/5000; per-app-api-usage=17/250(appName=sample-connected-app)"},
			[]string{usage, `other "per-app-api-usage" q=250 used=17 w=24h0m0s`},
		},
		{
			"with a comma",
			[]string{field + "api-usage=18/5000, per-app-api-usage=17/250(appName=a)"},
			[]string{usage, `other "per-app-api-usage" q=250 used=17 w=24h0m0s`},
		},
		{
			"two lines",
			[]string{field + "api-usage=18/5000", field + "per-app-api-usage=17/250(appName=a)"},
			[]string{usage, `other "per-app-api-usage" q=250 used=17 w=24h0m0s`},
		},
		{
			"another one after the name of an app",
			[]string{field + "per-app-api-usage=17/250(appName=a); api-usage=18/5000"},
			[]string{`other "per-app-api-usage" q=250 used=17 w=24h0m0s`, usage},
		},
		{"an app called like the separators", []string{field + "api-usage=18/5000(appName=a;b,c=1/2)"}, []string{usage}},
		{"an app without a name", []string{field + "api-usage=18/5000()"}, []string{usage}},
		{"more used than there is", []string{field + "api-usage=5001/5000"}, []string{`other "api-usage" q=5000 used=5001 w=24h0m0s`}},
		{"nothing used", []string{field + "api-usage=0/5000"}, []string{`other "api-usage" q=5000 used=0 w=24h0m0s`}},
		{"a quota of 0", []string{field + "api-usage=0/0"}, []string{`other "api-usage" q=0 used=0 w=24h0m0s`}},
		{"a usage that is not documented", []string{field + "bulk-jobs=1/2"}, []string{`other "bulk-jobs" q=2 used=1`}},
		{"saturated", []string{field + "api-usage=99999999999999999999/99999999999999999999"}, []string{`other "api-usage" q=9223372036854775807 used=9223372036854775807 w=24h0m0s`}},

		{"no quota", []string{field + "api-usage=18"}, []string{problem + "12: unexpected end of the value"}},
		{"no number behind the slash", []string{field + "api-usage=18/"}, []string{problem + "13: not a number"}},
		{"no number before the slash", []string{field + "api-usage=/5000"}, []string{problem + "10: not a number"}},
		{"negative", []string{field + "api-usage=-1/5000"}, []string{problem + "10: not a number"}},
		{"no value", []string{field + "api-usage"}, []string{problem + "9: unexpected end of the value"}},
		{"no name", []string{field + "18/5000"}, []string{problem + "0: unexpected character"}},
		{"upper case", []string{field + "API-Usage=18/5000"}, []string{problem + "0: unexpected character"}},
		{"one is malformed", []string{field + "api-usage=18/5000; per-app-api-usage=17"}, []string{problem + "39: unexpected end of the value"}},
		{"malformed on the second line", []string{field + "api-usage=18/5000", field + "?"}, []string{problem + "19: unexpected character"}},
		{"trailing separator", []string{field + "api-usage=18/5000;"}, []string{problem + "18: unexpected end of the value"}},
		{"something follows", []string{field + "api-usage=18/5000 calls"}, []string{problem + "18: unexpected character"}},
		{"an open parenthesis", []string{field + "api-usage=18/5000(appName=a; per-app-api-usage=17/250"}, []string{problem + "53: unexpected end of the value"}},
		{"too many digits", []string{field + "api-usage=18/" + strings.Repeat("9", parse.MaxDigits+1)}, []string{problem + "114: too many digits"}},
		{"empty", []string{field}, []string{problem + "-1: empty value"}},
		{"white space", []string{field + " \t"}, []string{problem + "-1: empty value"}},
		{"two empty lines", []string{field, field}, []string{problem + "0: unexpected character"}},
	})
}

func TestQuotas(t *testing.T) {
	const field, problem = "Auth0-Client-Quota-Limit: ", "problem Auth0-Client-Quota-Limit at "
	const hour = `other "client per_hour" q=100 r=90 w=1h0m0s after=1h0m0s`
	testFields(t, []fieldsRow{
		{
			"two buckets",
			[]string{field + "b=per_hour;q=100;r=90;t=3600,b=per_day;q=1000;r=990;t=86400"},
			[]string{hour, `other "client per_day" q=1000 r=990 w=24h0m0s after=24h0m0s`},
		},
		{"a bucket's name alone", []string{field + "per_hour;q=100;r=90;t=3600"}, []string{hour}},
		{"in another order", []string{field + "t=3600; r=90; b=per_hour; q=100"}, []string{hour}},
		{"white space", []string{field + " b=per_hour ;\tq=100; r=90 ; t=3600\t"}, []string{hour}},
		{"upper case", []string{field + "b=Per_Hour;q=100;r=90;t=3600"}, []string{hour}},
		{"two lines", []string{field + "b=per_hour;q=100;r=90;t=3600", field + "b=per_day;q=1"}, []string{hour, `other "client per_day" q=1 w=24h0m0s`}},
		{"the organization's", []string{"Auth0-Organization-Quota-Limit: b=per_hour;q=5"}, []string{`other "organization per_hour" q=5 w=1h0m0s`}},
		{"no bucket", []string{field + "q=100;r=90"}, []string{`other "client" q=100 r=90`}},
		{"a bucket of its own", []string{field + "b=nightly-sync;q=5"}, []string{`other "client nightly-sync" q=5`}},
		{"a bucket that begins with a window", []string{field + "b=hour_nightly;q=5"}, []string{`other "client hour_nightly" q=5`}},
		{"a bucket of two windows", []string{field + "b=hour_day;q=5"}, []string{`other "client hour_day" q=5`}},
		{"repeated, the last counts", []string{field + "q=100;q=5"}, []string{`other "client" q=5`}},
		{"an unknown number", []string{field + "q=100;x=5"}, []string{`other "client" q=100`}},
		{"negative remaining", []string{field + "q=100;r=-1"}, []string{`other "client" q=100 r=-1`}},
		{"a reset in the past", []string{field + "q=100;t=-1"}, []string{`other "client" q=100 after=-1s`}},
		{"a fraction", []string{field + "r=1.9;t=0.5"}, []string{`other "client" r=1 after=500ms`}},
		{"saturated", []string{field + "q=99999999999999999999;t=99999999999999999999"}, []string{`other "client" q=9223372036854775807 after=2562047h47m16.854775807s`}},

		{"an empty bucket", []string{field + "b=;q=100"}, []string{`other "client" q=100`}},
		{"a quoted bucket", []string{field + `b="per_hour";q=100`}, []string{problem + "2: unexpected character"}},
		{"nothing but a bucket", []string{field + "b=per_hour"}, []string{problem + "10: required parameter is missing"}},
		{"words", []string{field + "not limited"}, []string{problem + "4: unexpected character"}},
		{"nothing but a word", []string{field + "unlimited"}, []string{problem + "9: required parameter is missing"}},
		{"nothing that is known", []string{field + "x=5"}, []string{problem + "3: required parameter is missing"}},
		{"one limit has no numbers", []string{field + "b=per_hour;q=100,b=per_day"}, []string{problem + "26: required parameter is missing"}},
		{"a word for a number", []string{field + "q=100;r=many"}, []string{problem + "8: not a number"}},
		{"an unknown word for a number", []string{field + "q=100;x=many"}, []string{problem + "8: not a number"}},
		{"a negative quota", []string{field + "q=-1"}, []string{problem + "4: number out of range"}},
		{"a word behind the first", []string{field + "q=100;per_hour"}, []string{problem + "14: unexpected end of the value"}},
		{"a word behind the first, with more", []string{field + "q=100;per_hour;r=1"}, []string{problem + "14: unexpected character"}},
		{"white space around the sign", []string{field + "q = 100"}, []string{problem + "2: unexpected character"}},
		{"a date", []string{field + "q=100;t=2024-05-05"}, []string{problem + "12: unexpected character"}},
		{"trailing semicolon", []string{field + "q=100;"}, []string{problem + "6: unexpected end of the value"}},
		{"trailing comma", []string{field + "q=100,"}, []string{problem + "6: unexpected end of the value"}},
		{"empty", []string{field}, []string{problem + "-1: empty value"}},
	})
}

func TestEndpoints(t *testing.T) {
	testFields(t, []fieldsRow{
		{"Zendesk", []string{"Zendesk-RateLimit-Tickets-Index: total=100; remaining=99; resets=41"}, []string{`other "tickets-index" q=100 r=99 after=41s`}},
		{"with an underscore and digits", []string{"zendesk-ratelimit-v2_search: total=1"}, []string{`other "v2_search" q=1`}},
		{"a window for its name", []string{"Zendesk-RateLimit-Minute: total=1"}, []string{`other "minute" q=1 w=1m0s`}},
		{"other words", []string{"Zendesk-RateLimit-A: limit=7; reset=3"}, []string{`other "a" q=7 after=3s`}},
		{"jobs are no requests", []string{"Zendesk-RateLimit-Inflight-Jobs: total=30; remaining=29; resets=0"}, nil},
		{"no endpoint", []string{"Zendesk-RateLimit-: total=1", "Zendesk-RateLimit: total=1"}, nil},
		{"no name of an endpoint", []string{"Zendesk-RateLimit-A.B: total=1"}, nil},
		{"a number alone", []string{"Zendesk-RateLimit-Tickets: 5"}, []string{"problem Zendesk-Ratelimit-Tickets at 0: unexpected character"}},
		{"a word alone", []string{"Zendesk-RateLimit-Tickets: secret"}, []string{"problem Zendesk-Ratelimit-Tickets at 6: required parameter is missing"}},
	})
}

// TestListingNames checks that the names in a list have the same maximum length as other names.
func TestListingNames(t *testing.T) {
	for _, c := range []struct{ field, before, behind string }{
		{"Sforce-Limit-Info", "", "=1/2"},
		{"Auth0-Client-Quota-Limit", "", ";q=1"},
		{"Auth0-Client-Quota-Limit", "b=", ";q=1"},
		{"Zendesk-Ratelimit-Tickets", "q=1;b=", ""},
	} {
		t.Run(c.field+" "+c.before, func(t *testing.T) {
			requireBudget(t, c.field, parse.MaxText, func(n int) []string {
				return []string{c.before + strings.Repeat("a", n) + c.behind}
			}, parse.ErrTooLong)
		})
	}
}

// listings has the fields that list limits, each with a function for member i.
func listings() map[string]func(i int) string {
	return map[string]func(i int) string{
		"Sforce-Limit-Info":         func(i int) string { return fmt.Sprintf("a%d=1/2(b)", i) },
		"Auth0-Client-Quota-Limit":  func(i int) string { return fmt.Sprintf("b=b%d;q=1;r=1;t=1", i) },
		"Zendesk-Ratelimit-Tickets": func(i int) string { return fmt.Sprintf("b%d;total=1", i) },
		"X-Rate-Limit-Ip":           func(i int) string { return fmt.Sprintf("%d:1:1", i) },
	}
}

// TestManyListed checks that the first MaxNamed limits of a list are kept, and no limits of later fields.
func TestManyListed(t *testing.T) {
	for field, member := range listings() {
		t.Run(field, func(t *testing.T) {
			list := func(n int) []string {
				members := make([]string, n)
				for i := range members {
					members[i] = member(i)
				}
				return []string{strings.Join(members, ",")}
			}
			most := parse.Header(map[string][]string{field: list(parse.MaxNamed)})
			require.Len(t, named(&most), parse.MaxNamed)
			for _, n := range []int{parse.MaxNamed + 1, parse.MaxMembers} {
				got := parse.Header(map[string][]string{field: list(n)})
				require.Len(t, got.Problems, 1)
				require.ErrorIs(t, got.Problems[0], parse.ErrTooMany)
				require.Equal(t, named(&most), named(&got))
			}

			h := map[string][]string{field: list(parse.MaxNamed - 1), "X-Ratelimit-Remaining-Tokens": {"5"}}
			got := parse.Header(h)
			require.Len(t, named(&got), parse.MaxNamed)
			require.Equal(t, "tokens", named(&got)[0].Label)
			require.Equal(t, named(&most)[:parse.MaxNamed-1], named(&got)[1:])

			h[field] = list(parse.MaxNamed)
			got = parse.Header(h)
			require.Equal(t, named(&most)[:parse.MaxNamed-1], named(&got)[1:])

			h[field][0] += ",!"
			got = parse.Header(h)
			require.Len(t, named(&got), 1, "a fault drops what the field told, and only that")
			require.Len(t, got.Problems, 1)
			require.Equal(t, field, got.Problems[0].Field)
		})
	}
}

// TestFullListings reads fields of the greatest length, with thousands of members.
func TestFullListings(t *testing.T) {
	for field, member := range listings() {
		t.Run(field, func(t *testing.T) {
			list := strings.Repeat(member(1)+",", parse.MaxFieldLength/len(member(1)+","))
			require.Greater(t, strings.Count(list, ","), parse.MaxMembers)
			f := parse.Header(map[string][]string{field: {list}})
			require.Empty(t, named(&f))
			require.Len(t, f.Problems, 1)
			require.ErrorIs(t, f.Problems[0], parse.ErrTooMany)
			require.Equal(t, len(strings.Join(slices.Repeat([]string{member(1)}, parse.MaxMembers), ","))+1, f.Problems[0].Offset)
		})
	}
}
