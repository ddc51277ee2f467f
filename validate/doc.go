// Package validate turns what a response says about rate limits into what a
// client may rely on: [Response] takes the syntax that package parse found, the
// status, the response's own clock and the time of receipt, and returns a
// [Reading] in which every number is either known and within [Bounds] or
// [Unknown], and every time is a duration from receipt. It keeps no state, reads
// no clock, never panics, and does not change the response. A [Reader] does the same
// for one response after another: it keeps its memory for the next, and asks a clock
// of the caller's where one is needed. All of it may be used concurrently.
//
//	reading := validate.Response(resp, time.Now(), validate.Bounds{})
//	for _, l := range reading.Limits {
//		fmt.Println(l.Policy, l.Remaining, l.Reset) // each may be Unknown, which is not 0
//	}
//	if reading.Throttled {
//		fmt.Println("refused because of a limit; come back after", reading.RetryAfter)
//	}
//
// Package headway does this with each response, by a Reader. On its own this package is of use to
// show limits, or to record them.
//
// # Families of fields
//
// Servers speak several dialects, often more than one at a time. They are read
// in this order; a family that is absent or malformed leaves its place to the
// next:
//
//	family                                name of its limits            window from
//	1 RateLimit, drafts 08 and later      the item's name               RateLimit-Policy of that name and partition key
//	  RateLimit, draft 07                 the policy's                  RateLimit-Policy of the same quota
//	2 RateLimit-Limit, -Remaining, -Reset -Name and the like, policy's  -Limit, else RateLimit-Policy, of the same quota
//	3 names with a label, vendors' own    -Name, else the label         the label, -Period and the like, -Limit
//	4 X-RateLimit-*                       -Name and the like            -Period and the like, else as 2
//	5 X-Rate-Limit-*                      same                          same
//	6 RateLimit-Policy alone              the policy's                  itself
//
// The same numbers told by two families are one limit: equal quota and
// remaining, windows that agree, resets within two seconds of each other,
// because one server writes a delay in one family and a date in the other and
// rounds both. What the first family leaves unknown is taken from the second.
// Different numbers are different limits, such as a CDN's and the origin's, and
// all of them are reported: the client has to respect each.
//
// A service limit and a policy are joined by name and partition key
// (draft-ietf-httpapi-ratelimit-headers-10 §4). A partition key that only one
// side tells does not keep them apart, because widely used servers send it with
// the policy alone. Where policies have no names, drafts 01 to 07, the one with
// the quota of the numbers is theirs; if several have it, the window is unknown.
// A policy that no numbers belong to is a limit of its own, of which quota and
// window are known, but neither what remains nor when it resets.
//
// # Names
//
// State is kept per Policy and PartitionKey, so no two limits of one Reading
// have both in common. A limit without a name has the name "". Of several
// policies without names each is called by quota and window, as in "100;w=60".
//
// The label is what a name adds that belongs to one of several limits: minute,
// tokens, input-tokens, endpoint-requests, or whatever an operator calls a limit. Units
// that it names are counted as such.
//
// A limit of separate fields whose name is taken by another limit with other
// numbers is called by its family, "X-RateLimit". One name twice in RateLimit
// is one limit, the stricter of the two.
//
// # Times
//
// A point in time, whether an epoch, RFC 3339 or HTTP date, is the server's, so
// it is measured against the server's clock: the response's Date, plus its Age.
// The time of receipt stands in where Date is absent, malformed, or would put
// the point more than a year away while the time of receipt does not. Delays
// need no clock. What lies in the past is now: 0. A window is never a wait. A
// period that is as long as the time to the reset, where no limit is told, is no
// window but that time.
//
// Retry-After takes precedence over any reset for the next request, and both
// are reported. On a response that was not refused it is reported as well, and
// blocks nothing by itself: there are servers that send it with every response.
// A number of seconds that is an epoch close to now is read as one.
//
// Retry-After-<name> is the time to wait for the limit of that name. It is read where the
// response is an error: the longest of all counts, and their names are those of the policies
// that were violated. On any other response it is ignored.
//
// # What is not believed
//
// Limits of a response from a cache, one with a positive Age or marked with
// X-From-Cache, are old news and left out, as the drafts advise. They say so of
// their own fields only, so Retry-After is kept: the cache may be the one that
// refuses, and a 503 that it stored still says that the origin wants no requests.
// The Age does not shorten a delay, so that the client is never early. Trailers
// are not read.
//
// A negative limit is no limit, whatever the other numbers say, unless the request
// was refused. A negative remaining is 0 when the request was refused; on any other response
// it stands for no limit, so it is unknown. So does a quota of 0 with nothing
// remaining and no time to wait.
//
// Numbers beyond [Bounds] are clamped. Remaining is left as told up to Bounds'
// MaxRate even where it allows much more than the policy, such as r=10000;t=10
// of q=10000;w=1000: it also tells how much others use, and a light user sees
// such numbers before the end of every window. It is for the pacer to hold its
// rate to a small multiple of quota and window.
//
// All that was ignored or clamped is listed as a [Problem].
//
// # Profiles
//
// A few services document what their responses leave out: the unit of a number, the
// length of a window, a status or a message that means a refusal. A [Profile] says so
// for a host and those below it. There are built-in ones for GitHub, Jira, Linear,
// Notion, Anthropic, Binance, Reddit, Strava, Salesforce and Prisjakt; the caller's
// come before them. No other host is read any differently.
package validate
