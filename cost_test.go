package headway

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/pacer"
	"github.com/headway-go/headway/parse"
)

// The context says what a request costs before Transport.Cost does, and what neither
// says is known of requests and bytes alone.
func TestPrice(t *testing.T) {
	units := []string{"tokens", "content-bytes"}
	fromField := func(_ *http.Request, unit parse.Unit) int64 {
		return map[parse.Unit]int64{parse.Requests: 3, "tokens": 500, parse.ContentBytes: -1}[unit]
	}
	for _, row := range []struct {
		name string
		ctx  func(context.Context) context.Context
		cost func(*http.Request, parse.Unit) int64
		body io.Reader
		want []int64
	}{
		{"nothing is said", nil, nil, nil, []int64{1, -1, -1}},
		{"a body of known length", nil, nil, strings.NewReader("12345"), []int64{1, -1, 5}},
		{"a body of unknown length", nil, nil, io.MultiReader(strings.NewReader("12345")), []int64{1, -1, -1}},
		{"by Cost", nil, fromField, nil, []int64{3, 500, -1}},
		{"by the context", func(ctx context.Context) context.Context {
			return WithCost(WithPriority(WithCost(ctx, "tokens", 70), 2), parse.Requests, 0)
		}, fromField, nil, []int64{0, 70, -1}},
		{"negative in the context", func(ctx context.Context) context.Context {
			return WithCost(ctx, "tokens", -5)
		}, fromField, nil, []int64{3, 500, -1}},
		{"more than can be counted", func(ctx context.Context) context.Context {
			return WithCost(ctx, "tokens", 1<<62)
		}, nil, nil, []int64{1, pacer.MostCost, -1}},
	} {
		t.Run(row.name, func(t *testing.T) {
			ctx := t.Context()
			if row.ctx != nil {
				ctx = row.ctx(ctx)
			}
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, testURL, row.body)
			require.NoError(t, err)
			c := call{Transport: &Transport{Cost: row.cost}, req: req, options: optionsOf(ctx)}
			c.price(nil)
			require.Equal(t, row.want[0], c.cost.Requests, "before another unit is known")
			c.price(units)
			require.Equal(t, row.want, []int64{c.cost.Requests, c.cost.Others[0], c.cost.Others[1]})
			require.EqualValues(t, pacer.Unknown, c.cost.Others[2], "of a unit that comes later")
			c.price(nil)
			require.Equal(t, pacer.Cost{Requests: row.want[0]}, c.cost, "in a partition that was made anew")
			require.Empty(t, c.units)
		})
	}
}
