package validate_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/validate"
)

func TestPatterns(t *testing.T) {
	rules := []validate.Field{
		{Name: "X-Rules", Policy: "app", Pattern: `(?<limit>\d+):(?<window>\d+)`},
		{Name: "X-Hits", Policy: "app", Pattern: `(?<used>\d+):(?<window>\d+)(:(?<penalty>\d+))?`},
	}
	names := []validate.Field{
		{Name: "X-Rules", Policy: "a", Pattern: `(?<name>\w*)=(?<limit>\d+)`},
		{Name: "X-Hits", Policy: "a", Pattern: `(?<name>\w*)=(?<used>\d+)`},
	}
	form := func(pattern string) []validate.Field {
		return []validate.Field{{Name: "X-Limit", Policy: "a", Pattern: pattern}}
	}
	of := form(`(?<used>\S+)/(?<limit>\d+)`)
	rate, reset := form(`(?<limit>\d+)r/(?<window>\w+)`), form(`left (?<remaining>\d+), ends (?<reset>.+)`)
	prefixed := []validate.Field{
		{Name: "X-Jobs-Running", Holds: validate.HoldsNothing},
		{Name: "X-Jobs-*", Pattern: `(?<remaining>\d+) of (?<limit>\d+)`, Window: time.Hour},
		{Name: "X-Used-*", Policy: "b", Holds: validate.HoldsUsed, Quota: 9},
	}
	const rule = `limit "app 20;w=1" q=20`
	for _, test := range []struct {
		name   string
		fields []validate.Field
		lines  []string
		want   string // as render writes it
	}{
		{"absent", of, nil, ""},
		{"used of", of, []string{"X-Limit: 39/40"}, `limit "a" q=40 r=1`},
		{"no match", of, []string{"X-Limit: many"}, "problem X-Limit: malformed"},
		{"keys", form(`used=(?<used>\d+);of=(?<limit>\d+);per=(?<window>\w+)`), []string{"X-Limit: used=12;of=100;per=60s"}, `limit "a 100;w=60" q=100 r=88 w=1m0s`},
		{"a rate", rate, []string{"X-Limit: 60r/m"}, `limit "a 60;w=60" q=60 w=1m0s`},
		{"a rate in months", rate, []string{"X-Limit: 60r/month"}, `limit "a 60;w=2678400" q=60 w=744h0m0s`},
		{"a rate in nothing", rate, []string{"X-Limit: 60r/moon"}, "limit \"a\" q=60\nproblem X-Limit: malformed"},
		{"a part of a second", rate, []string{"X-Limit: 6r/100ms"}, `limit "a 6;w=0.1" q=6 w=100ms`},
		{"a name and a window", []validate.Field{{Name: "X-Limit", Pattern: `(?<name>\w+),(?<limit>\d+)/(?<window>\w+)`}}, []string{"X-Limit: burst,5/s"}, `limit "burst" q=5 w=1s`},
		{"a delay", reset, []string{"X-Limit: left 5, ends 1m30s"}, `limit "a" r=5 t=1m30s`},
		{"a point in time", reset, []string{date, "X-Limit: left 5, ends 2026-03-04T12:00:05Z"}, `limit "a" r=5 t=5s`},
		{"no time", reset, []string{"X-Limit: left 5, ends soon"}, "limit \"a\" r=5\nproblem X-Limit: malformed"},

		{"rules", rules, []string{"X-Rules: 20:1,100:120", "X-Hits: 1:1,3:120"}, rule + " r=19 w=1s\nlimit \"app 100;w=120\" q=100 r=97 w=2m0s"},
		{"a penalty", rules, []string{"X-Rules: 20:1", "X-Hits: 1:1:30"}, rule + " r=0 w=1s t=30s"},
		{"fewer hits", rules, []string{"X-Rules: 20:1,100:120", "X-Hits: 1:1"}, rule + " r=19 w=1s\nlimit \"app 100;w=120\" q=100 w=2m0s"},
		{"hits of another window", rules, []string{"X-Rules: 20:1", "X-Hits: 1:2"}, rule + " w=1s"},
		{"a policy", rules, []string{"X-Rate-Limit-Policy: search", "X-Rules: 20:1"}, `limit "search app 20;w=1" q=20 w=1s`},

		{"two fields of one name", names, []string{"X-Rules: burst=9", "X-Hits: burst=4"}, `limit "a burst" q=9 r=5`},
		{"two fields, the second without a name", names, []string{"X-Rules: burst=9", "X-Hits: =4"}, `limit "a burst" q=9 r=5`},
		{"two fields, one without a name", names, []string{"X-Rules: =9", "X-Hits: day=4"}, `limit "a day" q=9 r=5`},

		{"prefixes", prefixed, []string{"X-Jobs-Read: 4 of 5", "X-Jobs-List-All: 6 of 7", "X-Used-A: 2"}, "limit \"list-all\" q=7 r=6 w=1h0m0s\nlimit \"read\" q=5 r=4 w=1h0m0s\nlimit \"b a\" q=9 r=7"},
		{"a form that headway knows", []validate.Field{{Name: "X-RateLimit-Limit", Policy: "a", Pattern: `(?<remaining>\d+) left`}}, []string{"X-RateLimit-Limit: 5 left"}, `limit "a" r=5`},
		{"no pattern", form(`(?<limit`), []string{"X-Limit: 5"}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := msg(http.StatusOK, test.lines...).atExample()
			got := readWith(m, false, test.fields...)
			require.Equal(t, test.want, render(&got))
			reader := validate.NewReader(validate.Bounds{}, nil, validate.Profile{Host: "example.com", Fields: test.fields})
			require.Equal(t, test.want, render(reader.Read(m.response())), "compiled once")
		})
	}
}

// TestPatternsAreBounded checks that neither many matches nor long values cost much.
func TestPatternsAreBounded(t *testing.T) {
	rules := validate.Field{Name: "X-Rules", Policy: "a", Pattern: `(?<limit>\d+):(?<window>\d+)`}
	names := validate.Field{Name: "X-Name-*", Pattern: `(?<remaining>\d+)`}
	const limits = validate.MaxLimits
	var list, lines []string
	for i := range 2 * limits {
		list = append(list, "5:"+strings.Repeat("1", i%8+1)+strings.Repeat("0", i/16))
		lines = append(lines, "X-Name-"+strings.Repeat("a", i+1)+": 5")
	}
	read := func(fields []validate.Field, lines ...string) validate.Reading {
		return readWith(msg(http.StatusOK, lines...), false, fields...)
	}
	got := read([]validate.Field{rules}, "X-Rules: "+strings.Join(list, ","))
	require.LessOrEqual(t, len(got.Limits), limits)
	require.Contains(t, problems(got), "X-Rules: more than MaxLimits, the rest is ignored")
	require.Len(t, read([]validate.Field{names}, lines...).Limits, limits)
	require.Len(t, read([]validate.Field{names, rules}, append(lines, "X-Rules: 5:1")...).Limits, limits)
	value := "5:1" + strings.Repeat(" ", 16<<10-3)
	resp := msg(http.StatusOK).atExample().response()
	for n, want := range []int{1, 0} {
		resp.Header["X-Rules"] = []string{value + strings.Repeat(" ", n)}
		got = validate.Response(resp, received, validate.Bounds{}, validate.Profile{Host: "example.com", Fields: []validate.Field{rules}})
		require.Len(t, got.Limits, want)
	}
}
