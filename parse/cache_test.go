package parse_test

import (
	"math"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/parse"
)

func TestCacheFields(t *testing.T) {
	for _, row := range []struct {
		name, line string
		age        time.Duration
		fromCache  bool
	}{
		{name: "Age", line: "17", age: 17 * time.Second},
		{name: "age", line: " 017, 4", age: 17 * time.Second},
		{name: "AGE", line: "99999999999999999999", age: math.MaxInt64},
		{name: "Age", line: "-1"},
		{name: "Age", line: "1.5"},
		{name: "Age", line: ""},
		{name: "Ago", line: "17"},
		{name: "X-From-Cache", line: "1", fromCache: true},
		{name: "x-from-cache", line: "true", fromCache: true},
		{name: "X-From-Cache", line: "0"},
		{name: "X-From-Cache", line: "HIT"},
	} {
		t.Run(row.name+" "+row.line, func(t *testing.T) {
			f := parse.Header(http.Header{row.name: {row.line}})
			require.Equal(t, row.age, f.Age)
			require.Equal(t, row.fromCache, f.FromCache)
			require.Empty(t, f.Problems)
		})
	}
}

func TestFindReturnsOnlyRateLimitFields(t *testing.T) {
	for _, row := range []struct {
		name   string
		header http.Header
		want   bool
	}{
		{"none", http.Header{"Date": {"Tue, 14 Mar 2017 16:16:00 GMT"}, "X-Ratelimit-Color": {"1"}}, false},
		{"no line", http.Header{"Retry-After": {}}, false},
		{"one", http.Header{"Retry-After": {"1"}}, true},
		{"malformed", http.Header{"Ratelimit": {"\x00"}}, true},
		{"Age", http.Header{"Age": {"0"}}, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			require.Equal(t, row.want, len(parse.Find(row.header, nil)) > 0)
		})
	}
}
