// Package parse reads the rate-limit header fields of an HTTP response. It checks syntax only: it does not
// compare fields with each other, does not read the clock and keeps no state. Package validate turns the
// result into what a client may rely on.
//
//	fields := parse.Header(resp.Header)
//	for _, row := range fields.Rows {
//		fmt.Println(row.Family, row.Name, row.Limit, row.Remaining, row.Reset)
//	}
//
// Use package validate to decide when to send the next request. The numbers that parse returns may be
// wrong, contradict each other, or lie in the past. Use parse to show or record what a server sent.
//
// # What it reads
//
//   - RateLimit and RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers): the lists of drafts 08 and
//     later, the dictionary of draft 07, the policies of drafts 04 to 07. Also as Beta-RateLimit. Of draft 11
//     the available quota a and the effective window w, which are r and t, and the cost c of the request.
//     If an item has the older names too, these count.
//   - RateLimit-Partition of draft 11: the partition key of the request.
//   - RateLimit-Limit, -Remaining and -Reset of the earlier drafts, with the policies that -Limit may list.
//   - X-RateLimit-* and X-Rate-Limit-*: -Limit, -Remaining, -Used, -Reset, -Reset-After, -Window,
//     -FillRate, -Bucket, -Resource, -Name, -Policy and -Rule. Most parts have synonyms, such as -Max,
//     -Left, -Usage, -Reset-In and -Period, and forms with a unit, such as -Reset-Ms.
//   - The same fields with a label before or after the part: X-RateLimit-Remaining-Tokens,
//     X-RateLimit-Limit-Minute, Anthropic-RateLimit-Input-Tokens-Reset. The words of a label may say the
//     unit and the window: -TPM counts tokens per minute. The word limit beside another part belongs to
//     that part: X-RateLimit-Limit-Remaining has no label.
//   - RateLimit-*, X-RateLimit-* and X-Rate-Limit-* with a name that an operator chose, such as the
//     throttlers of NestJS: -Limit-Short, -Burst-Remaining and Retry-After-Short. The name has up to 40
//     letters, digits, hyphens and underscores. It counts as a limit's name if -Limit or -Remaining comes
//     with another part of the same name, or with a Retry-After of that name.
//   - Fields with any other beginning that end in -Remaining, and the fields that begin alike:
//     X-Contentful-RateLimit-Hour-Remaining. They count as a limit if there is also a reset, or a quota of
//     at least as many units under a prefix that is about limits.
//   - Vendors' own fields: of Shopify, HubSpot, Discogs, Imgur, Xero, Cohere, Mistral and some more. Also
//     several limits in one field by position, as Strava sends them, with their windows in
//     X-RateLimit-Policy. A quota of 0 beside another one is no limit. Lists in a form that only one vendor
//     sends are read by the profiles of package validate.
//   - Retry-After, in seconds or as a date. The fields with a finer resolution: Retry-After-Ms,
//     X-Ms-Retry-After-Ms and X-Retry-In. The fields that servers send instead: X-Retry-After,
//     X-RateLimit-After, X-RateLimit-Retry-After and X-Rate-Limit-Retry-After (also with
//     -Seconds, -Ms or a name), X-Rate-Limit-Retry, X-RateLimit-Retry-At and X-Throttle-Wait-Seconds.
//   - Age and X-From-Cache, which show that the response comes from a cache.
//
// [Header] reads all fields of a header. What they say of a limit is a [Row], whatever the fields are. [Row.Read] reads a
// value that is not in such a field. All functions are safe for concurrent use. The strings in the result of Header share
// memory with the header: clone a name that you keep for long.
//
// # Numbers in -Reset
//
// A number in a -Reset field may be a delay or a date. Neither the drafts nor the field's name decide
// which. The size of the number does:
//
//	up to 31,622,400 (366 days)  seconds from now; negative numbers too
//	below 946,684,800 (in 2000)  milliseconds from now
//	below 10¹¹                   seconds since 1970
//	below 10¹⁴                   milliseconds since 1970
//	below 10¹⁷                   microseconds since 1970
//	from there on                nanoseconds since 1970
//
// The times of .NET in ticks, from 6·10¹⁷ to 7·10¹⁷, and the digits of a date such as 20260304120000 are not read.
//
// The t of RateLimit and the reset of draft 07 are always delays in seconds. Retry-After, -Reset-After and fields in
// milliseconds hold delays, unless a number has the size of an epoch in milliseconds or finer. All these fields may also
// hold an RFC 3339 date, an HTTP date in the forms that servers send, or the text of a time of Go or JavaScript. They may
// hold a duration such as 6m0s or 00:04:59, or the name of a window such as minute.
//
// # Bad input
//
// No input makes a function panic, and a bad field does not affect other fields. A bad field, or the bad part of it, is
// left out and reported as an [*Error]: the field's name, an offset and one of the Err values of this package. Each
// field reports its first error only. Age and X-From-Cache report no error: a malformed one counts as absent.
//
//   - A syntax error in a structured field drops the whole field (RFC 9651 §4.2).
//   - A wrong type, a negative number, a window of 0 or a missing number drops the item and keeps the
//     others. Unknown parameters are ignored.
//   - If a field that belongs on one line has several lines, the strictest value counts: the smallest limit,
//     the smallest remaining quota, the longest wait. Equal numbers on one line count as one, as a proxy may
//     have joined them. Different numbers on one line are dropped: the comma may be a thousands separator.
//   - Words such as unlimited leave the number Unknown, which is not 0. A negative -Limit means no limit.
//   - A number that is too large saturates. A fraction of a second is never rounded down to 0.
//
// # Budgets
//
// A field of more than [MaxFieldLength] bytes or [MaxLines] lines is dropped unread. A field is dropped too if it has
// more than [MaxMembers] members, [MaxParameters] parameters of one item, or [MaxDigits] digits of one number. Names,
// units and partition keys have at most [MaxText] bytes. At most [MaxNamed] limits with labels are read. Within these
// budgets the time is linear in the length of the field, and there is no recursion.
package parse
