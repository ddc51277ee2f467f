package parse_test

import (
	"strings"
	"testing"

	"github.com/headway-go/headway/parse"
)

func TestHits(t *testing.T) {
	const rules, state = "X-Rate-Limit-Ip: 8:10:60,15:60:120", "X-Rate-Limit-Ip-State: "
	const first, second = `other "ip 8;w=10" q=8`, `other "ip 15;w=60" q=15`
	testFields(t, []fieldsRow{
		{"with a state", []string{rules, state + "1:10:0,2:60:0"}, []string{first + " used=1 w=10s", second + " used=2 w=1m0s"}},
		{"a penalty is on", []string{rules, state + "9:10:60,2:60:0"}, []string{first + " r=0 used=9 w=10s after=1m0s", second + " used=2 w=1m0s"}},
		{"without a state", []string{rules}, []string{first + " w=10s", second + " w=1m0s"}},
		{"a short state", []string{rules, state + "1:10:0"}, []string{first + " used=1 w=10s", second + " w=1m0s"}},
		{"a long state", []string{rules, state + "1:10:0,2:60:0,3:90:0"}, []string{first + " used=1 w=10s", second + " used=2 w=1m0s"}},
		{"a state of other windows", []string{rules, state + "1:11:5,2:60:0"}, []string{first + " w=10s", second + " used=2 w=1m0s"}},
		{"a state in another order", []string{rules, state + "2:60:0,1:10:5"}, []string{first + " w=10s", second + " w=1m0s"}},
		{"a state alone", []string{state + "1:10:60"}, nil},
		{"white space", []string{"X-Rate-Limit-Ip: 8:10:60 ,\t15:60:120 "}, []string{first + " w=10s", second + " w=1m0s"}},
		{"two lines", []string{"X-Rate-Limit-Ip: 8:10:60", "X-Rate-Limit-Ip: 15:60:120"}, []string{first + " w=10s", second + " w=1m0s"}},
		{"no hits at all", []string{"X-Rate-Limit-Ip: 0:10:60"}, []string{`other "ip 0;w=10" q=0 w=10s`}},
		{
			"saturated",
			[]string{"X-Rate-Limit-Ip: 99999999999999999999:9223372036854775807:1", state + "0:9223372036854775807:9223372036854775807"},
			[]string{`other "ip 9223372036854775807;w=9223372036854775807" q=9223372036854775807 r=0 used=0 w=2562047h47m16.854775807s after=2562047h47m16.854775807s`},
		},
		{
			"three rules",
			[]string{"X-Rate-Limit-Client: 1:1:1", "X-Rate-Limit-Account: 2:2:2", "X-Rate-Limit-Ip: 3:3:3", "X-Rate-Limit-Account-State: 1:2:0"},
			[]string{`other "account 2;w=2" q=2 used=1 w=2s`, `other "client 1;w=1" q=1 w=1s`, `other "ip 3;w=3" q=3 w=3s`},
		},
		{
			"Riot",
			[]string{"X-App-Rate-Limit: 20:1,100:120", "X-App-Rate-Limit-Count: 1:1,3:120", "X-Method-Rate-Limit: 2000:60", "X-Method-Rate-Limit-Count: 7:60"},
			[]string{`other "app 20;w=1" q=20 used=1 w=1s`, `other "app 100;w=120" q=100 used=3 w=2m0s`, `other "method 2000;w=60" q=2000 used=7 w=1m0s`},
		},
		{"Riot's rules have no penalty", []string{"X-App-Rate-Limit: 20:1:5"}, []string{"problem X-App-Rate-Limit at 4: unexpected character"}},
		{
			"a policy",
			[]string{"X-Rate-Limit-Policy: trade", "X-Rate-Limit-Rules: Ip", rules},
			[]string{"X-Rate-Limit name=trade", `other "trade ip 8;w=10" q=8 w=10s`, `other "trade ip 15;w=60" q=15 w=1m0s`},
		},
		{
			"a policy called like a unit",
			[]string{"X-Rate-Limit-Policy: tokens", "X-Rate-Limit-Ip: 8:10:60"},
			[]string{"X-Rate-Limit name=tokens", `other "tokens ip 8;w=10" q=8 w=10s`},
		},
	})
}

// TestHitsProblems checks that an error drops both the rules and the state, and that a state alone is
// ignored.
func TestHitsProblems(t *testing.T) {
	const rules, state = "X-Rate-Limit-Ip: ", "X-Rate-Limit-Ip-State: "
	const problem, ofState = "problem X-Rate-Limit-Ip at ", "problem X-Rate-Limit-Ip-State at "
	limit := `other "ip 8;w=10" q=8 w=10s`
	testFields(t, []fieldsRow{
		{"two numbers", []string{rules + "8:10"}, []string{problem + "4: unexpected end of the value"}},
		{"four numbers", []string{rules + "8:10:60:1"}, []string{problem + "7: unexpected character"}},
		{"one number", []string{rules + "5"}, []string{problem + "1: unexpected end of the value"}},
		{"no number", []string{rules + "8::60"}, []string{problem + "2: not a number"}},
		{"negative", []string{rules + "8:10:-60"}, []string{problem + "5: not a number"}},
		{"a window of 0", []string{rules + "8:10:60,5:0:60"}, []string{problem + "10: number out of range"}},
		{"a window of less than a second", []string{rules + "8:0.5:60"}, []string{problem + "2: number out of range"}},
		{"a text", []string{rules + "secret"}, []string{problem + "0: not a number"}},
		{"trailing comma", []string{rules + "8:10:60,"}, []string{problem + "8: unexpected end of the value"}},
		{"empty", []string{rules}, []string{problem + "-1: empty value"}},
		{"too many digits", []string{rules + strings.Repeat("9", parse.MaxDigits+1) + ":1:1"}, []string{problem + "101: too many digits"}},
		{"the rules are malformed", []string{rules + "8:10", state + "1:10:0"}, []string{problem + "4: unexpected end of the value"}},
		{"the state is malformed", []string{rules + "8:10:60", state + "1:10:soon"}, []string{limit, ofState + "5: not a number"}},
		{"the state is empty", []string{rules + "8:10:60", state}, []string{limit, ofState + "-1: empty value"}},
		{"both are malformed", []string{rules + "8", state + "1:"}, []string{problem + "1: unexpected end of the value", ofState + "2: not a number"}},
		{"another rule is not", []string{rules + "8", "X-Rate-Limit-Account: 2:5:60"}, []string{`other "account 2;w=5" q=2 w=5s`, problem + "1: unexpected end of the value"}},
	})
}
