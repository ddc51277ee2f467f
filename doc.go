// Package headway keeps an HTTP client just under every rate limit that a server advertises. Its [Transport] goes
// between an [http.Client] and its connections:
//
//	client := &http.Client{Transport: &headway.Transport{}}
//	// use client as before, from any number of goroutines
//
// The Transport spreads requests evenly over the remaining quota. With [PaceMeasured] requests go at once while the
// client is far from its limit. Either way a 429 becomes a rare event, not the normal way to find the limit.
//
// # What it does
//
// A Transport reads the rate-limit fields of each response: RateLimit and RateLimit-Policy of
// draft-ietf-httpapi-ratelimit-headers and their predecessors, X-RateLimit-* and similar fields, and Retry-After.
// From these it computes a pace for each partition. A partition is a group of requests that the server limits
// together. By default it is one origin with one credential, see [DefaultPartition].
//
// A request that comes too early waits in the queue of its partition. Requests with a higher [WithPriority] go first;
// requests of equal priority go in order of arrival. A request that uses nothing of the limit that others wait for
// goes before them. A client that calls now and then hardly ever waits, since an idle client saves up some credit. Once a
// server has answered without reporting a limit, it is soon not slowed any more.
//
// A server may limit several quota units at once: requests, bytes, and units of its own such as tokens. A request
// goes when all limits allow it. [WithCost] or [Transport.Cost] says how many units a request uses; without them the
// Transport learns the cost. Under a limit on concurrent requests, a request counts until the body of its response ends.
//
// An API may tell its limits in a form of its own, such as a JSON body, and refuse with status 200. [Transport.Limits] is a
// function of the caller that reads such responses.
//
// A throttled request is one that the server refused because of a limit. It holds its whole partition for as long as
// the server asks, or else for a time that grows from refusal to refusal. Then the request is sent again, before
// newer ones, and the others follow at the pace. Only [Transport.Forget], or a success during a very long hold, cuts a
// hold short. Some refusals hold only a part of the partition: those whose problem+json body names the violated
// policies, and those that report an exhausted limit which does not apply to all routes.
//
// The Transport learns which limits apply to which routes. A route is a method and a path whose identifiers are
// folded: GET /users/1 and GET /users/2 are one route. A limit does not apply to a route whose responses report other
// limits but not this one. A route without a response yet obeys all limits. If they would delay it for more than some
// seconds, one request at a time is sent to find out whether they apply. [Transport.PartitionKey] says which quota a
// request uses where a policy has one quota for each partition key.
//
// [Transport.Snapshot] and [Transport.Restore] hand what was learned to the next run of a program, except which
// limits apply to which routes.
//
// # Waiting and refusing
//
// A wait ends with the request's context. Some waits would be too long: longer than the deadline of the context,
// which includes http.Client.Timeout, or longer than [Transport.MaxWait]. Then the request is not sent, and the caller
// gets an error at once:
//
//	if limit, ok := errors.AsType[*headway.LimitError](err); ok {
//		log.Printf("not sent; possible at %v", limit.RetryAt)
//	}
//
// Nothing is refused while nothing is known about a server's limits. The first request goes alone, and one more goes
// every 250 ms until a response arrives. If that response reports no limit, three requests may be in flight at once,
// and two more with every response.
//
// # With SDKs, and other layers that retry
//
// A Transport goes where an SDK takes an *http.Client or an http.RoundTripper. Limits should then be the Transport's
// business alone. An SDK that resends throttled requests as well only multiplies the attempts. Turn its retries off,
// or have its policy ask [CheckRetry]. Where neither is possible, [RefuseWithResponse] ends the attempts of most SDKs
// with the first one: the SDKs of OpenAI, Anthropic and Cloudflare obey X-Should-Retry: false. If several Transports
// stand in one chain, only the uppermost one paces and resends. They find each other through Unwrap.
//
// A layer that makes connections or sets header fields goes below a Transport, as its Base. A layer that retries must
// not go below: it would ask the server again before the Transport knows of the refusal.
//
// # Watching it
//
// [Transport.State] returns what is known and planned. [Trace] has hooks for each decision. [Transport.Logger]
// receives log lines; level Info has only what an operator needs. Package debug shows the state as a web page. The
// modules otelheadway and promheadway export metrics, and termheadway shows waits on a terminal. With
// [Transport.Shadow] a Transport only reports what it would do: it delays and resends nothing. [Transport.Forget]
// drops what was learned of a partition, for a server that reported something wrong.
//
// # What it never does
//
//   - It never modifies a request, nor a response that it returns, whatever the status. One exception: the body of a
//     throttled response may be cut short if a resend was planned and then came too late, see [Transport.RoundTrip].
//   - It never resends a request that was not refused because of a limit, nor one whose body GetBody cannot make
//     again. It buffers no request body.
//   - It never sends a request that is held before the time in Retry-After.
//   - It never turns a malformed header field into an error, and never trusts a server beyond [Transport.Bounds].
//   - It keeps no credentials, and shows none in errors, logs or [Transport.State].
//   - It starts no goroutine, except to read ahead in the body of a refusal, or in a body that [Transport.Limits] reads.
//     That goroutine ends with its Read.
//
// # Limits
//
// A partition paces requests, requests in flight, and up to three other quota units. Limits in further units count
// only when they refuse. A partition keeps up to 24 limits and tells up to 64 routes apart. Processes that share a
// quota estimate each other's use from the header fields, unless they agree on their parts through
// [Transport.Fleet]; see module fleet. Unused partitions are forgotten. Nothing outlives the process, except in a
// [Transport.Snapshot].
//
// Each example below answers a question that users ask. Examples named Incorrect show what not to do.
package headway
