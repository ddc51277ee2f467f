// Headway keeps programs in any language under the rate limits that servers advertise, and shows these limits.
//
//	headway proxy -to URL [flags]
//	headway inspect [flags] URL
//	headway audit [flags] URL
//	headway version
//
// Each command has -help, which lists its flags and exit codes. Proxy is a local reverse proxy whose transport is
// headway.Transport, see docs/proxy.md. Inspect reports what a server says about its rate limits, and how headway would pace
// requests to it, see docs/inspect.md. Audit says whether what an API tells about its limits is true, see docs/audit.md.
//
// # Bounds of inspect
//
// Of a recording 1 MiB is read at most. It may have several responses: redirects, 100 Continue, or a proxy's reply to
// CONNECT. The report is on the last final one. In it all text from servers and files is cut to a maximum length, and
// unprintable characters are escaped. A field's value is shown only if the field was ignored or clamped. Request fields are
// never shown, nor are user, password and query of a URL.
//
// # JSON
//
// A document is in ASCII. Durations are numbers of seconds, and rates are numbers per second. Points in time are in RFC 3339
// format. null means unknown. New versions may add members. A change of the members below raises version.
//
// The members of a limit, here and there:
//
//	policy             its name, "" if it has none
//	partition_key      base64 text, "" if none
//	dialect            the fields with the limit: RateLimit (drafts 08 and later), RateLimit (draft 07), RateLimit-*,
//	                   X-RateLimit-*, X-Rate-Limit-*, RateLimit-Policy (alone), named fields (such as X-RateLimit-Limit-Tokens)
//	unit               what is counted: "requests", "tokens" …
//	quota, remaining
//	cost               units that this request has used
//	window, reset      reset: from receipt until more units are available
//
// Of headway inspect -json:
//
//	version            2
//	method, url        url: without user, password and query, "" if unknown
//	status, protocol
//	received           the time of receipt, or the assumed one: the Date of a recorded response
//	verdict            what helps against a refusal: wait, only this, never or unknown, see docs/refusals.md; "" if it is none
//	sign               the header field, or the path of a member of the body, that shows that; "" if there is none
//	cached             the response comes from a cache, so its limits are ignored
//	retry_after        the server's Retry-After
//	violated_policies  names in a JSON body
//	limits             one for each limit in the response, by precedence
//	problems           fields that were ignored or clamped, 50 at most: field; reason; offset of the cause in the field's value,
//	                   in bytes; sent: that value, escaped and cut to a maximum length
//	unknown_fields     names of fields that look like limits, and that headway does not know
//	pacing             limited: the response has anything that limits requests; wait: until the next request may go, 0: at once;
//	                   until: the same as a point in time, null: at once; policy: for which it waits, "" if none;
//	                   rate: of requests, now; many: how long 1000 requests would take
//	skipped_lines      lines of a recorded head that are no fields
//	exit_code          see -help
//
// Of headway audit -json:
//
//	version            1
//	method, url        url: without user, password and query
//	findings           id: of the check; limit: if there are several; verdict: true, misleading, not told or not seen; text;
//	                   suggestion: absent if there is none
//	suggested          header fields in the form of the draft; those that are not known have a word in capital letters
//	notes              further remarks, in words
//	requests           after: from the first; kind: plain, conditional or missing; status; refused; retry_after; limits
//	exit_code          see -help
package main
