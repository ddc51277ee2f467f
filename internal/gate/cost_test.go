package gate

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
)

// The context comes before the caller's function. Without either, only the cost in requests and bytes is known.
func TestPricer(t *testing.T) {
	const tokens = limits.Unit("tokens")
	fromFunc := func(_ *http.Request, unit limits.Unit) int64 {
		return map[limits.Unit]int64{limits.Requests: 3, tokens: 500, limits.ContentBytes: -1}[unit]
	}
	for _, row := range []struct {
		name    string
		context map[limits.Unit]int64
		cost    func(*http.Request, limits.Unit) int64
		body    io.Reader
		want    []int64 // requests, tokens, bytes
	}{
		{"nothing is known", nil, nil, nil, []int64{1, -1, -1}},
		{"a body of known length", nil, nil, strings.NewReader("12345"), []int64{1, -1, 5}},
		{"a body of unknown length", nil, nil, io.MultiReader(strings.NewReader("12345")), []int64{1, -1, -1}},
		{"by Cost", nil, fromFunc, nil, []int64{3, 500, -1}},
		{"by the context", map[limits.Unit]int64{tokens: 70, limits.Requests: 0}, fromFunc, nil, []int64{0, 70, -1}},
		{"another length than that of the body", map[limits.Unit]int64{limits.ContentBytes: 2}, nil, strings.NewReader("12345"), []int64{1, -1, 2}},
		{"negative in the context", map[limits.Unit]int64{tokens: -5}, fromFunc, nil, []int64{3, 500, -1}},
		{"more than can be counted", map[limits.Unit]int64{tokens: 1 << 62}, nil, nil, []int64{1, pacer.MostCost, -1}},
	} {
		t.Run(row.name, func(t *testing.T) {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://api.example.com/", row.body)
			require.NoError(t, err)
			p := Pricer{Request: req, Context: row.context, Func: row.cost}
			var c pacer.Cost
			p.set(&c, nil)
			require.Equal(t, pacer.Cost{Requests: row.want[0]}, c, "before another unit is known")
			p.set(&c, []limits.Unit{tokens, limits.ContentBytes})
			require.Equal(t, row.want, []int64{c.Requests, c.Others[0], c.Others[1]})
			require.EqualValues(t, pacer.Unknown, c.Others[2], "of a unit that comes later")
		})
	}
}
