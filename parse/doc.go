// Package parse reads the rate-limit header fields of an HTTP response: syntax
// only. It judges nothing, asks no clock and keeps no state; package validate
// turns what it reads into what a client may rely on.
//
//	fields := parse.Header(resp.Header)
//	for _, l := range fields.RateLimit.All() {
//		fmt.Println(l.Name, l.Remaining, l.Reset)
//	}
//
// Whoever wants to know what to do rather than what was sent is better off with package
// validate: here a number may be wrong, contradict another, or be in the past.
//
// # What it reads
//
//   - RateLimit and RateLimit-Policy of draft-ietf-httpapi-ratelimit-headers:
//     the lists of drafts 08 and later, the dictionary of draft 07, the policies
//     of drafts 04 to 07.
//   - RateLimit-Limit, -Remaining and -Reset of the drafts before, with their
//     policies in -Limit.
//   - X-RateLimit-* and X-Rate-Limit-*: -Limit, -Remaining, -Used, -Reset,
//     -Reset-After, -Next, -Period and the like, -FillRate, -Bucket, -Resource,
//     -Name, -Policy, -Rule, -Scope, -Global, and other words for some of them
//     (-Max, -Burst-Capacity, -Usage, -Observed, -ResetTime, -Replenish-Rate).
//   - The same with a label, before or behind: X-RateLimit-Remaining-Tokens,
//     X-RateLimit-Limit-Minute, Anthropic-RateLimit-Input-Tokens-Reset. A label is
//     made of known words for units, windows and scopes; a name with any other word
//     tells nothing, so that nothing is taken for a limit because it looks like one.
//   - RateLimit-*, X-RateLimit-* and X-Rate-Limit-* with a name that an operator has
//     chosen, as of NestJS's throttlers: -Limit-Short, -Remaining-Short, -Reset-Short and
//     Retry-After-Short. Such a name, of up to 40 letters, digits, hyphens and underscores, is
//     a limit's if what is allowed or what remains comes together with another part, or with
//     that Retry-After.
//   - What vendors call their own way: Shopify's, Salesforce's, HubSpot's, Discogs',
//     Imgur's, Xero's, Cohere's, Mistral's, Auth0's, Zendesk's, Path of Exile's and
//     some more; several limits in one field by position, as Strava sends them.
//   - Retry-After, in seconds and as a date; its finer twins Retry-After-Ms,
//     X-Ms-Retry-After-Ms and X-Retry-In; what is sent in its place: X-Retry-After,
//     X-RateLimit-Retry-After and X-Rate-Limit-Retry-After, both also with -Seconds,
//     X-Throttle-Wait-Seconds, X-Sentry-Rate-Limits.
//   - Age and X-From-Cache, which show that the response comes from a cache.
//   - The violated-policies of a problem in JSON, from a response's body.
//
// [Header] reads all fields from one map, and there is a function for each kind
// of field that many servers send; [ViolatedPolicies] reads a body. All are safe for
// concurrent use. Results refer to the strings of the header, so that whoever
// keeps a name for long should clone it; those of a body stand alone.
//
// # Numbers in -Reset
//
// Neither the drafts nor the name of a field tell whether a number in a -Reset
// field is a delay or a date. Its size does:
//
//	up to 31,622,400 (366 days)  seconds from now; negative numbers too
//	below 10⁹                    milliseconds from now
//	below 10¹¹                   seconds since 1970
//	below 10¹⁴                   milliseconds since 1970
//	below 10¹⁷                   microseconds since 1970
//	from there on                nanoseconds since 1970
//
// The t of RateLimit, draft 07's reset and -Reset-After are always delays in
// seconds. Beside numbers a -Reset field may hold an RFC 3339 or HTTP date in
// the forms that servers really send, or a duration such as 6m0s.
//
// # Bad input
//
// Nothing panics, and no field affects another one. What is wrong is left out
// and reported as an [*Error] with the field's name, an offset and one of the
// Err values of this package; of each field the first fault only. Age and
// X-From-Cache are read leniently: malformed, they are as good as absent.
//
//   - A syntax error in a structured field drops that field as a whole
//     (RFC 9651 §4.2).
//   - A wrong type, a negative number, a window of 0 or a missing number drops
//     the item; the others stay. Parameters that we do not know are ignored.
//   - Of several lines of a field that should have one, the strictest counts:
//     the smallest limit and remaining, the longest wait. Equal numbers that a
//     proxy has joined in one line are one; different ones cannot be told from a
//     thousands separator, and are dropped.
//   - Words such as unlimited tell nothing: the number stays unknown, which is
//     never 0. A negative -Limit is kept as the word for no limit.
//   - Numbers that are too large saturate; a fraction of a second is never cut
//     to nothing.
//
// # Budgets
//
// A field of more than [MaxFieldLength] bytes or [MaxLines] lines is dropped
// unread, one with more than [MaxMembers] members, [MaxParameters] parameters of
// an item or [MaxDigits] digits where it exceeds them. Names, units and
// partition keys are at most [MaxText] bytes long, and of limits with labels
// [MaxNamed] are read. Within these bounds the time
// is linear in the length of the field, and there is no recursion. A body has
// bounds of its own: [MaxProblemLength], [MaxViolated] and [MaxViolatedName].
package parse
