package headway

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"sync/atomic"

	"github.com/headway-go/headway/internal/identity"
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
	mark     *mark // nil: no Transport above paces the request
}

// A mark in a request's context says that a Transport above has sent the request, so that those below hand it on: if two
// held and resent the same request, each would wait for what the other does, and their resends would multiply. It ends
// with the response, because contexts may be used again.
type mark struct {
	below   []http.RoundTripper // these hand the request on
	isEnded atomic.Bool
}

// isPacedAbove reports whether the request comes from a Transport above that one, which paces it or leaves it alone.
// Layers may send others in the same context, to wherever they want.
func (o *options) isPacedAbove(t http.RoundTripper) bool {
	return o != nil && o.mark != nil && !o.mark.isEnded.Load() && slices.Contains(o.mark.below, t)
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

// Pacing is how requests are spread over what a limit allows. Any other value than the
// two below is PaceEvenly.
type Pacing uint8

const (
	// PaceEvenly gives each request a slot of its own, one interval after the last
	// one's; what an idle client may send at once is bounded by Transport.Burst. It
	// uses all of a quota without bursts and is next to never refused. It is the zero
	// value, and right for long jobs and for all who share a quota.
	PaceEvenly Pacing = iota

	// PaceMeasured measures how much the client itself sends, as a leaky bucket that is as
	// large as its share of each limit's quota, and lets requests go at once as long as that
	// has room: after a window without requests about 63 % of what is left. Then they are
	// spread evenly. It is for programs whose work comes in bursts, with time in between,
	// such as those that people wait for. Where others use the quota, too, bursts are refused
	// more often. Transport.Burst does not matter.
	PaceMeasured
)

// DefaultPartition names the partition of a request when [Transport.Partition]
// is nil: scheme, host and port of its URL and, if it carries credentials, a
// hash of them:
//
//	https://api.example.com#c0ffee5a17ed0a75
//
// Host names are lower-cased, and a scheme's default port is the same as none. If the
// request's Host is set and another than its URL's, it counts instead: many hosts may
// share an address.
//
// Credentials are user and password in the URL and the usual header fields
// (Authorization, X-Api-Key, X-Auth-Token, Private-Token and the like, see the
// README); cookies and query parameters do not count. An Authorization that is
// made anew for every request (AWS Signature, OAuth 1, Digest, Hawk, HTTP
// signatures) counts by the part that stays: access key id, consumer key and
// token, username, keyid. A bearer token counts as a whole: where one is made anew for
// each request or every few minutes (a JWT that is signed by the client), each has a
// partition of its own and nothing is learned from one to the next, so set
// Transport.Partition then. The hash is keyed with a secret drawn when the
// process starts, so it reveals nothing about the credentials and has no
// meaning in another process (but see [Transport.Snapshot]).
//
// It returns "" for a request without scheme or host. A custom function may
// call it and add to its result. It is safe for concurrent use.
func DefaultPartition(req *http.Request) string {
	var k identity.Key
	k.SetDefault(req)
	return k.String()
}
