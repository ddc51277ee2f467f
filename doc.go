// Package headway keeps an HTTP client just under every rate limit that a server advertises. Its [Transport] goes between
// an [http.Client] and its connections:
//
//	client := &http.Client{Transport: &headway.Transport{}}
//	// use client as before, from any number of goroutines
//
// A Transport reads the rate-limit fields of each response: RateLimit and RateLimit-Policy of
// draft-ietf-httpapi-ratelimit-headers and their predecessors, X-RateLimit-* and similar fields, and Retry-After. From
// these it computes a pace for each partition, a group of requests that the server limits together. By default that is one
// origin with one credential, see [DefaultPartition]. It spreads requests evenly over the remaining quota, or lets them go
// at once while the client is far from its limit, see [Pacing]. A request that comes too early waits in the queue of its
// partition. So a 429 becomes a rare event, not the normal way to find the limit.
//
// A throttled request is one that the server refused because of a limit. It holds its partition for as long as the server
// asks, or else for a time that grows from refusal to refusal. Then it is sent again, before newer ones, and the others
// follow at the pace.
//
// Package pacer tells the idea, and docs/how-it-paces.md the whole model: limits that apply to some routes, to tokens and
// other quota units, to requests in flight, and to clients that share a quota.
//
// # Waiting and refusing
//
// A wait ends with the request's context. Some waits would be too long: longer than the deadline of the context, which
// includes http.Client.Timeout, or longer than [Transport.MaxWait]. Then the request is not sent, and the caller gets an
// error at once:
//
//	if limit, ok := errors.AsType[*headway.LimitError](err); ok {
//		log.Printf("not sent; possible at %v", limit.RetryAt)
//	}
//
// Nothing is refused while nothing is known about a server's limits. The first request goes alone, and one more goes every
// 250 ms until a response arrives. If that response reports no limit, three requests may be in flight at once, and two more
// with every response.
//
// # With SDKs, and other layers that retry
//
// A Transport goes where an SDK takes an *http.Client or an http.RoundTripper. Limits should then be the Transport's
// business alone: an SDK that resends throttled requests as well only multiplies the attempts. Turn its retries off, or
// have its policy ask [CheckRetry]. Where neither is possible, [RefuseWithResponse] ends the attempts of most SDKs with the
// first one: the SDKs of OpenAI, Anthropic and Cloudflare obey X-Should-Retry: false. What waiting does not help is returned
// at once, and [VerdictOf] tells it from the rest.
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
//     That goroutine ends when the Read or the Close of the body ends.
//
// A partition keeps up to 24 limits, tells up to 64 routes apart, and paces requests, requests in flight, and up to three
// other quota units; limits in further units count only when they refuse.
//
// Each example below answers a question that users ask. Examples named Incorrect show what not to do.
package headway
