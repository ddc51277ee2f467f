// Package validate turns the rate-limit fields of a response into limits that a client may rely on. [Response] takes the
// fields that package parse reads, the status, the response's Date and Age, and the time of receipt. It returns a
// [Reading]. Every number in it is within [Bounds] or [Unknown], and every time is a duration from receipt. The package
// keeps no state, reads no clock, never panics, and does not change the response.
//
// A [Reader] does the same for many responses. It reuses the memory of its Readings, and gets the time from
// a function of the caller when it needs one. All functions and Readers are safe for concurrent use.
//
//	reading := validate.Response(resp, time.Now(), validate.Bounds{})
//	for _, l := range reading.Limits {
//		fmt.Println(l.Policy, l.Remaining, l.Reset) // each may be Unknown, which is not 0
//	}
//	if reading.Verdict.IsRefusal() {
//		fmt.Println("refused because of a limit; come back after", reading.RetryAfter)
//	}
//
// Package headway uses a Reader for each response. Use this package on its own to show or record limits.
//
// # Families of fields
//
// Servers use several families of fields, often more than one at a time. Families are read in this order.
// An absent or malformed family is skipped:
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
// Two families with the same numbers are one limit. The quota and the remaining quota must be equal, the
// windows must agree, and the resets must be within two seconds of each other. The resets may differ, as
// one server may send a delay and a date and round both. A number that the first family leaves unknown is
// taken from the second. Families with different numbers are different limits, such as a CDN's limit and
// the origin's. All of them are reported, as the client must keep within each.
//
// A policy is a limit of which nobody says what is left: an item of RateLimit-Policy, or a quota with a window behind the
// number in -Limit. It belongs to the limit of the same name and partition key
// (draft-ietf-httpapi-ratelimit-headers-10 §4). If only one of them has a partition key, the name is enough, as widely
// used servers send the key with the policy alone. A limit of RateLimit or RateLimit-Policy without a key has that of
// RateLimit-Partition. In drafts 01 to 07 policies have no names. Such a policy belongs to the
// limit with its quota whose reset is not after the end of the window, or, if it is the only policy, to a limit without a
// quota. Of several such policies the first one is taken. Each of the others is a limit of its own, with an unknown
// remaining quota and reset, so that the client keeps within all of them, whichever the numbers are of.
//
// # Names
//
// A client keeps state for each Policy and PartitionKey, so no two limits of a Reading have both in common. Names are
// bounded, as servers choose them: all names in a Reading are as [limits.ShortName] returns them.
// A limit without a name has the name "". If there are several policies without names, each is named after
// its quota and window, as in "100;w=60".
//
// A label is the part of a field's name that identifies one of several limits: minute, tokens, input-tokens,
// endpoint-requests, or any name that an operator chose. If the label has a unit, the limit counts that unit.
//
// If two limits of separate fields, or two policies, have one name and different numbers, the second is named after its
// family, such as "X-RateLimit". If RateLimit has the same name twice, the stricter of the two counts.
//
// # Times
//
// An epoch, an RFC 3339 date and an HTTP date are points in time on the server's clock. They are measured from the
// response's Date plus its Age. The time of receipt is used instead if Date is absent or malformed. It is also used if
// by Date the point is more than a year away, and by the time of receipt it is not. A point that is more than a year
// ahead by both is no time, and ignored. A point in the past becomes 0. Delays need no clock. A delay of years is read as
// an epoch in seconds if that is within a year of now, as some servers send one where a delay belongs. A window is never
// used as a wait. A field for a window that equals the time to the reset, without a quota, is not a window and is ignored.
//
// RetryAfter takes precedence over any reset for the next request; both are reported. Retry-After is also
// reported if the response was not refused. It blocks nothing by itself then, as some servers send it with
// every response.
//
// Retry-After-<name> is the wait for the limit of that name. It is read if the response is an error. The longest of
// these waits counts, and the names are the policies that were violated. On any other response these fields are ignored.
//
// # Milliseconds
//
// Some servers count the milliseconds until the reset: 60000 is a minute, and not 16 hours. One response cannot show it.
// So a [Reader] doubts a number without a unit that would be more than an hour, and the reset is Unknown. It is believed
// if the limit has a window that is as long, or if the host's [Profile] has the unit. A number in a -Window field
// without a unit, of thousands of seconds that are no days, is always doubted. [Response] is for showing what was sent,
// and doubts no reset.
//
// # What is ignored or changed
//
// A response with a positive Age or with X-From-Cache comes from a cache. Its limits are out of date and ignored, as the
// drafts advise. Its Retry-After is used: the cache may refuse the request itself, and a 503 that it stored still means
// that the origin wants no requests. Age does not shorten a delay, so that the client is never early.
//
// A negative limit means no limit, whatever the other numbers are, unless the request was refused. A
// negative remaining quota is 0 if the request was refused. On any other response it means no limit, so
// the remaining quota is Unknown. A quota of 0 with nothing remaining and no reset also means no limit.
//
// Numbers beyond [Bounds] are clamped. A remaining quota within Bounds.MaxRate is kept even if it allows a
// far higher rate than the policy, such as r=10000;t=10 with q=10000;w=1000. It shows how much other
// clients use, and a client that sends little sees such numbers before the end of every window. The pacer
// keeps its rate within a small multiple of quota per window.
//
// Each field that is ignored or clamped is listed as a [Problem].
//
// # Trailers
//
// Older drafts let a server send the fields after the body, and some servers do
// (draft-polli-ratelimit-headers-05 §3). [Response] and Read take the header alone, as the trailer is not
// there yet. To read the trailer, once the body has been read to its end, pass a response with the status 200 and
// the trailer as Header. Only its Limits count: no definition allows Retry-After in a trailer (RFC 9110 §6.5.1). Leave out
// those whose Dialect is 0: they are what a profile documents.
//
// # Profiles
//
// The responses of a few services leave out what only their documentation says: the unit of a number, a quota, the
// length of a window, or a status or message that means a refusal. Others have fields that no other service sends, such
// as the lists of Salesforce, Auth0, Zendesk, Riot and Path of Exile, or no fields at all. A [Profile] has this for a host
// and its subdomains. The built-in profiles are in profiles.json. The caller's profiles take precedence. Responses of all
// other hosts are read in the same way.
//
// A profile is data: [ReadProfiles] reads it from JSON, and json.Marshal writes it.
package validate
