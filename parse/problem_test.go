package parse_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/parse"
)

func TestIsProblem(t *testing.T) {
	for _, c := range []struct {
		contentType string
		want        bool
	}{
		{"application/problem+json", true},
		{"Application/Problem+JSON", true},
		{"application/problem+json; charset=utf-8", true},
		{"application/problem+json;charset", true},
		{" application/problem+json\t; ", true},
		{"", false},
		{";", false},
		{"application/json", false},
		{"application/problem+xml", false},
		{"application/problem+json5", false},
		{"application/problem+j\u017Fon", false}, // folds to an s
		{"application/problem", false},
		{"text/plain; application/problem+json", false},
		{"application/problem+json, application/problem+json", false},
	} {
		t.Run(c.contentType, func(t *testing.T) {
			require.Equal(t, c.want, parse.IsProblem(c.contentType))
		})
	}
}

// problemBody returns a problem with the given JSON as its violated-policies.
func problemBody(violated string) string {
	return `{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","violated-policies":` + violated + `,"status":429}`
}

// quoted returns a JSON array of n equal strings.
func quoted(n int, text string) string {
	return "[" + strings.TrimSuffix(strings.Repeat(`"`+text+`",`, n), ",") + "]"
}

func TestViolatedPolicies(t *testing.T) {
	longest := strings.Repeat("x", parse.MaxViolatedName)
	for _, c := range []struct {
		name string
		body string
		want []string
	}{
		{"quota exceeded", `{
			"type": "https://iana.org/assignments/http-problem-types#quota-exceeded",
			"title": "Request cannot be satisfied as assigned quota has been exceeded",
			"violated-policies": ["daily","bandwidth"]
		}`, []string{"daily", "bandwidth"}},
		{"a type of its own", `{"type":"https://example.com/slow-down","violated-policies":["hourly"]}`, []string{"hourly"}},
		{"order and repetitions", problemBody(`["b","a","b",""]`), []string{"b", "a", "b", ""}},
		{"escapes", `{"violated\u002dpolicies":["\"a\\\u00e4"]}`, []string{`"a\ä`}},
		{"the last of two", `{"violated-policies":["a","b"],"violated-policies":["c"]}`, []string{"c"}},
		{"the last of two is none", `{"violated-policies":["a"],"violated-policies":null}`, nil},

		{"object", problemBody(`{"a":"b"}`), nil},
		{"number among strings", problemBody(`["a",1]`), nil},
		{"nested array", problemBody(`[["a"]]`), nil},
		{"nested member", `{"detail":{"violated-policies":["a"]}}`, nil},
		{"another case", `{"Violated-Policies":["a"]}`, nil},

		{"nothing", ``, nil},
		{"text", `Too Many Requests`, nil},
		{"something follows", problemBody(`["a"]`) + `{`, nil},
		{"comma missing, as in an example of the draft", `{"type":"x" "violated-policies":["default"]}`, nil},

		{"as many as may be", problemBody(quoted(parse.MaxViolated, "a")), strings.Split("a"+strings.Repeat(",a", parse.MaxViolated-1), ",")},
		{"one too many", problemBody(quoted(parse.MaxViolated+1, "a")), nil},
		{"as long as may be", problemBody(quoted(1, longest)), []string{longest}},
		{"one name too long", problemBody(`["a","` + longest + `x"]`), nil},
		{"longest body", problemBody(`["a"]`) + strings.Repeat(" ", parse.MaxProblemLength-len(problemBody(`["a"]`))), []string{"a"}},
		{"body too long", problemBody(`["a"]`) + strings.Repeat(" ", parse.MaxProblemLength+1-len(problemBody(`["a"]`))), nil},
		{"nested deeply", problemBody(strings.Repeat("[", parse.MaxProblemLength/3) + strings.Repeat("]", parse.MaxProblemLength/3)), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, parse.ViolatedPolicies([]byte(c.body)))
		})
	}
}

// TestViolatedPoliciesOfEveryPrefix checks that a body that is cut off anywhere has no names.
func TestViolatedPoliciesOfEveryPrefix(t *testing.T) {
	body := []byte(problemBody(`["daily","bandwidth"]`))
	require.Equal(t, []string{"daily", "bandwidth"}, parse.ViolatedPolicies(body))
	for n := range body {
		require.Nil(t, parse.ViolatedPolicies(body[:n]), "%s", body[:n])
	}
}
