package headway

import (
	"context"
	"maps"
	"net/http"
	"time"

	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/limits"
)

// WithCost returns a context whose requests use n units of every quota in that unit. It overrides Transport.Cost. Examples
// are the tokens of a language model, the points of a query, or the requests that one batch call stands for.
//
// 0 means that the requests use nothing of such quotas: no limit in that unit delays them, nor do requests that wait for
// one. A negative n has the same effect as if WithCost had not been called. More than 2⁴⁰ counts as 2⁴⁰. The unit is
// spelled as the server spells it, case included. For limits.ConcurrentRequests n is ignored: each request takes one.
//
// The cost is reserved before a request goes, so that limits on requests and on tokens are obeyed together. It may be an
// estimate: the remaining quota in each response (draft-ietf-httpapi-ratelimit-headers-10 §4.1.1) corrects it.
func WithCost(ctx context.Context, unit limits.Unit, n int64) context.Context {
	o := optionsOf(ctx)
	costs := map[limits.Unit]int64{}
	maps.Copy(costs, o.costs)
	costs[limits.ShortName(unit)] = n
	o.costs = costs
	return context.WithValue(ctx, optionsKey{}, &o)
}

// WithPriority returns a context whose requests go before waiting requests of lower priority that wait for the same limit
// in the same partition. Without it the priority is 0; it may be negative. Requests of equal priority go in order of
// arrival; those that may go at the same instant do so together.
//
// No request waits forever: every eighth request of a route to go is the one that has waited longest, whatever its
// priority. Throttled requests that are resent go before all others. Requests that wait for a token of [Transport.Ceiling]
// are no longer in the queue of their partition, so priorities do not count among them. If WithPriority is called several
// times on the way to a context, the last call counts. ctx is not changed.
func WithPriority(ctx context.Context, priority int) context.Context {
	o := optionsOf(ctx)
	o.priority = priority
	return context.WithValue(ctx, optionsKey{}, &o)
}

// WithMaxWait returns a context whose requests may wait for d in all. It overrides Transport.MaxWait. The wait counts from
// the call of RoundTrip, with the waits to be resent and without the response. So an interactive request can give up early
// beside batches that wait for hours, and its response may still take its time. A request that would wait longer is refused
// at once with ErrMaxWait. If several Transports stand in one chain, each counts d for its own waits.
//
// A negative d means that only the context bounds the wait. 0 has the same effect as if WithMaxWait had not been called. If
// it is called several times on the way to a context, the last call counts. ctx is not changed.
func WithMaxWait(ctx context.Context, d time.Duration) context.Context {
	o := optionsOf(ctx)
	o.maxWait = d
	return context.WithValue(ctx, optionsKey{}, &o)
}

// options are what the context of a request says about it.
type options struct {
	costs    map[limits.Unit]int64 // not changed once it is in a context
	priority int
	maxWait  time.Duration     // 0: not set
	passer   http.RoundTripper // passes the request on, as a Transport above paces it; nil: none
}

type optionsKey struct{}

// optionsOf returns the options in a context.
func optionsOf(ctx context.Context) (o options) {
	if set, ok := ctx.Value(optionsKey{}).(*options); ok {
		o = *set
	}
	return o
}

// Pacing says how requests are spread over what a limit allows. Any value but the two below counts as PaceEvenly.
type Pacing uint8

const (
	// PaceEvenly gives each request a slot of its own, one interval after the last slot. Transport.Burst bounds what an
	// idle client may send at once. PaceEvenly uses all of a quota without bursts and is hardly ever throttled. It is the
	// zero value. It suits long jobs, and clients that share a quota with others.
	PaceEvenly Pacing = iota

	// PaceMeasured lets requests go at once while the client is far from its limit. It measures what the client sends with
	// a leaky bucket as large as the client's share of the quota. While the bucket has room, requests are not delayed:
	// after a window without requests that is about 63 % of the remaining quota. Beyond that they are spread evenly.
	//
	// It suits programs whose work comes in bursts with idle time in between, such as those that people wait for. Where
	// other clients use the quota too, bursts are throttled more often. Transport.Burst has no effect.
	PaceMeasured
)

// DefaultPartition returns the partition of a request when [Transport.Partition] is nil: scheme, host and port of its URL
// and, if the request carries credentials, a hash of them:
//
//	https://api.example.com#c0ffee5a17ed0a75
//
// Host names are lower-cased, and the default port of a scheme is left out. If the request's Host is set and differs from
// the host of its URL, Host counts, since several hosts may share an address. For a request without scheme or host the
// result is "".
//
// Credentials are user and password in the URL, and the usual header fields: Authorization, X-Api-Key, X-Auth-Token,
// Private-Token and similar ones, see docs/configuration.md. Cookies and query parameters do not count. Some schemes make a
// new Authorization for each request: AWS Signature, OAuth 1, Digest, Hawk, HTTP signatures. For these the constant part
// counts: access key id, consumer key and token, username, keyid.
//
// Only what the request carries when it reaches the Transport counts. Credentials that a layer below sets are not seen, so
// that all users share one partition. Set them above, or set Transport.Partition to the user. Set it too if a client makes
// a new token every few minutes, such as a JWT that it signs: a bearer token counts as a whole, so that each gets a
// partition that knows nothing.
//
// The hash is keyed with a random secret of the process. It reveals nothing about the credentials and means nothing in
// another process (but see [Transport.Snapshot]). The processes of a [Transport.Fleet] show another hash instead, in errors,
// logs and State: it is keyed with the secret of the fleet, so all of them have the same name for a partition.
// DefaultPartition is safe for concurrent use. A custom function may call it and append to its result.
func DefaultPartition(req *http.Request) string {
	return identity.Default(req).String()
}
