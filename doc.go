// Package headway keeps an HTTP client just under every limit that a server
// advertises. Its [Transport] goes between a client and its connections:
//
//	client := &http.Client{Transport: &headway.Transport{}}
//	// use client as before, from any number of goroutines
//
// From then on requests are spread evenly over the quota that is left (or, with
// [PaceMeasured], go at once while the client is far from its limit), and a 429 is a
// rare event instead of the normal way to find the limit.
//
// # What it does
//
// A Transport reads the rate-limit fields of each response (RateLimit and
// RateLimit-Policy of draft-ietf-httpapi-ratelimit-headers, their predecessors,
// X-RateLimit-* and the like, Retry-After) and keeps, for each partition, the pace
// they allow. A partition is what the server limits as one: by default, requests
// to one origin with the same credentials (see [DefaultPartition]). A request that
// comes too early waits in its partition's queue: the higher [WithPriority] first, and
// among equals first come, first served. Those which use nothing of the limit that
// others wait for go before them. A client that calls now and then never waits: an idle
// one saves up some credit. A server that tells no limit is not slowed after its first
// answers.
//
// Limits of all quota units are kept together: requests, bytes, and what a server
// names, such as tokens. What a request uses of each is said by [WithCost] or
// [Transport.Cost], or learned. A limit on requests in flight counts a request until
// the end of its response's body.
//
// A throttled request, which the server refused because of a limit, holds its
// whole partition as long as the server says, or else for a growing time, and is
// then sent again, before younger requests. The others follow at the pace, spread
// out. A hold is never cut short. Where the refusal names the policies that were
// violated, in a problem in JSON, or tells a limit that is used up and does not apply
// to all routes, only what uses these is held.
//
// Which limits apply to which requests is learned by their routes: a route is the
// method and the path, with the identifiers in it folded. A limit that a response
// leaves out, while it tells of others, does not apply to its route. A route without
// a response obeys all limits; where these would keep it back for more than seconds,
// one request at a time finds out whether they apply. [Transport.PartitionKey] says
// which of the quotas that a policy has for different partition keys a request will use.
//
// [Transport.Snapshot] and [Transport.Restore] carry what was learned over to the
// next run of a program, but for what applies to which route.
//
// # Waiting and refusing
//
// A wait ends with the request's context. If it is clear that a request cannot
// start before its deadline, http.Client.Timeout included, or within
// [Transport.MaxWait], it is refused at once instead:
//
//	if limit, ok := errors.AsType[*headway.LimitError](err); ok {
//		log.Printf("not sent; possible at %v", limit.RetryAt)
//	}
//
// While nothing is known about a server's limits, nothing is refused. At first one
// request goes alone, and one more every 250 ms while it is not answered. If the
// answer tells no limit, three may be in flight at once, and two more with every answer.
//
// # With SDKs, and other layers that retry
//
// A Transport goes where an SDK takes an *http.Client or a RoundTripper. Limits should
// then be its business alone: an SDK that also resends throttled requests multiplies
// the attempts, and gets nothing for them. Tell it not to retry, or have its
// policy ask [CheckRetry]. Where that is not possible, [RefuseWithResponse] ends most
// SDKs' attempts with the first: X-Should-Retry: false is heeded by those of OpenAI,
// Anthropic and Cloudflare. Of several Transports in one chain, only the uppermost paces
// and resends; they find each other through Unwrap.
//
// What makes connections or sets header fields goes below a Transport, as its Base. A layer
// that retries below it asks the server again before the Transport knows of the refusal. A
// limit that comes inside a response with status 200 is not seen: a layer below can give it
// the status that it means.
//
// # Watching it
//
// [Transport.State] tells what is known and planned, [Trace] has hooks for each
// decision, [Transport.Logger] writes them down: at level Info only what an operator must
// know. Package debug shows the state as a page; the modules otelheadway and promheadway
// export metrics. With [Transport.Shadow] a Transport decides and tells, and delays and
// resends nothing, to see what it would do. [Transport.Forget] drops what was learned of a
// partition, where a server has told something wrong.
//
// # What it never does
//
// It never modifies a request, nor a response that it hands back, whatever its
// status; only the body of a throttled one may be cut short, if it was to be sent
// again and then could not (see [Transport.RoundTrip]). It never sends a request
// again that was not refused because of a limit, and none whose body cannot be had
// anew from GetBody: it buffers nothing. It never waits for less than a refusal asks
// for. It never turns a malformed field into an error, and believes no server beyond
// [Transport.Bounds]. It keeps no credentials, shows none in errors, logs and
// [Transport.State], and starts no goroutine but to read ahead in the body of a
// refusal, which ends with that Read.
//
// # Limits
//
// Besides requests and requests in flight, a partition paces limits in three quota
// units at most; limits in further ones are heeded only when they refuse. It keeps 24
// limits and tells 64 routes apart. Several processes that share one quota each infer
// from the headers what part of it the others use, unless they agree on their parts
// through [Transport.Fleet], see module fleet. Partitions that are not used are
// forgotten, and nothing is kept when the process ends, unless it takes a
// [Transport.Snapshot].
//
// The examples below are questions that users ask, each with its answer; those named
// Incorrect show what not to do.
package headway
