package headway

import (
	"context"
	"maps"

	"github.com/headway-go/headway/parse"
)

// WithCost returns a context whose requests use n units of every quota in that
// unit, in place of what Transport.Cost says: tokens of a language model, points
// of a query, requests that one batch call stands for. 0: they use nothing of it, and
// no limit in that unit keeps them back, nor do others that wait for it. Negative: as
// if nothing were said. More than 2⁴⁰ counts as that. A unit has the name that the
// server gives it, upper and lower case told apart. Of parse.ConcurrentRequests each
// request takes one, whatever is said.
//
// The cost is reserved before a request goes, so that limits on requests and on
// tokens are obeyed together. It may be an estimate: what the server says is left
// (draft-ietf-httpapi-ratelimit-headers-10 §4.1.1) corrects it, with each response.
func WithCost(ctx context.Context, unit parse.Unit, n int64) context.Context {
	o := optionsOf(ctx).clone()
	o.costs = maps.Clone(o.costs)
	if o.costs == nil {
		o.costs = make(map[parse.Unit]int64, 1)
	}
	o.costs[unit] = n
	return context.WithValue(ctx, optionsKey{}, o)
}

// WithPriority returns a context whose requests go before waiting ones of lower
// priority in their partition, wherever they wait for the same limit. Without it the
// priority is 0; it may be negative. Among equals the first come is the first served.
// So that none waits for ever, every eighth request to go of a route is the one that
// has waited longest, whatever its priority; and requests that were throttled go before
// all others. ctx is not changed; the last of several priorities counts.
func WithPriority(ctx context.Context, priority int) context.Context {
	o := optionsOf(ctx).clone()
	o.priority = priority
	return context.WithValue(ctx, optionsKey{}, o)
}

// options are what a context says of its requests.
type options struct {
	costs    map[parse.Unit]int64 // never written to once it is in a context
	priority int
}

type optionsKey struct{}

// optionsOf returns what is said of a context's requests; nil: nothing.
func optionsOf(ctx context.Context) *options {
	o, _ := ctx.Value(optionsKey{}).(*options)
	return o
}

// clone returns a copy of o, which may be nil, to be changed.
func (o *options) clone() *options {
	if o == nil {
		return &options{}
	}
	clone := *o
	return &clone
}
