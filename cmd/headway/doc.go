// Headway keeps programs in any language under the rate limits that servers advertise, and shows these limits.
//
//	headway proxy -to URL [flags]
//	headway proxy -config FILE [-listen ADDRESS]
//	headway inspect [flags] URL
//	curl -i URL | headway inspect [flags] [-]
//	headway audit [flags] URL
//	headway version
//
// # headway proxy
//
// A local reverse proxy whose transport is headway.Transport: clients send to it instead of URL, and it sends their
// requests on, just under the limits of the server. docs/proxy.md describes it.
//
//	-to                the URL of the API, perhaps with a path
//	-listen            the address for clients, 127.0.0.1:8429 by default
//	-hosts             names by which clients may ask, besides localhost
//	-token-file        a file with one token a line, of which each request needs one in Headway-Token
//	-config            a YAML file with several upstreams; it replaces all other flags but -listen
//	-max-wait          the longest time for which a request is kept back, 65 minutes by default
//	-max-retries       how many times a throttled request is sent again, 3 by default
//	-pacing            evenly, or measured for bursts with pauses between them
//	-partition-header  a request field: requests with equal values share a limit, instead of equal credentials
//	-resend-body       content of up to so many bytes is kept, so that a request can be sent again, 1 MiB by default
//	-max-connections   the largest number of connections of clients, 4096 by default
//	-grace             how long requests may go on when the proxy is stopped, 30 s by default
//	-fleet             the folder by which proxies on this machine share quotas, or the URL of a Redis or Valkey server
//	                   for proxies on several machines
//	-fleet-key         a file with at least 16 random bytes, the same on all machines of the fleet; a folder has a key of
//	                   its own
//	-snapshot          a file that keeps what was learned about limits for the next start
//
// Its exit code is 0 after a signal, 2 if the command line or the file that it names is wrong, and 3 if the proxy cannot
// begin or go on.
//
// # headway inspect
//
// Inspect reports what a server says about its rate limits, and how package headway would pace requests to it. It sends
// one request to URL, or reads a recorded response from standard input, as curl -i or curl -v writes
// it. The report says which limits the response contains and in which dialect, which fields were ignored or
// clamped and why, and how a client with headway.Transport would go on. Headway does not calculate the pacing
// itself: it gives the response to a Transport and watches that. With -n this is the Transport that has sent the
// requests.
//
// A recording may contain several responses: redirects, 100 Continue, or a proxy's reply to CONNECT. The report
// is on the last final response, and mentions the others. A body may itself look like a response. So headway
// looks for another response behind a body in two cases only: if Content-Length says where the body ends, or if
// curl -v shows that curl went on, such as after a redirect. It reads 1 MiB at most.
//
// In the report all text from servers and files is cut to a maximum length, and unprintable characters are
// escaped. A field's value is shown only if the field was ignored or clamped. At most 50 such problems are
// listed. Request fields are never shown, nor are user, password and query of a URL.
//
// On a terminal the limits are in a table, with colours unless NO_COLOR is set. With TERM=dumb, or if the output
// goes to a file or a pipe, the report has plain lines.
//
// If fields look like limits and headway does not know them, the report has a profile that would read them, as JSON.
//
// # Flags of inspect
//
//	-json       write JSON
//	-X, -method method of the request; also of a recorded one, unless curl -v shows it
//	-H          a field to send; may be repeated. It goes to the origin of URL only, not to other origins after redirects
//	-timeout    how long all requests and waits may take, 30 s by default
//	-n          send up to so many requests, 100 at most, as headway paces them, and report how the numbers move
//	-host       host of a recorded response, perhaps with a path, for servers whose fields headway reads differently
//	-at         when a recorded response was received, in RFC 3339 format; by default its Date, or now without one
//
// With -n throttled requests are not sent again. The report is on the last response. A note says so if a request
// was not sent because it would have had to wait longer than -timeout.
//
// # Exit codes of inspect
//
//	0  the response reports limits or a time to wait, and all fields were read
//	1  the response reports no limits
//	2  the command line is wrong
//	3  no response: the request failed, or the recording cannot be read; with -n also if a later request failed
//	4  a field was ignored or clamped, even if others were read
//
// # JSON
//
// The document is in ASCII. Durations are numbers of seconds, and rates are numbers per second. Points in time
// are in RFC 3339 format. null means unknown. New versions may add members. A change of the members below raises
// version.
//
//	version            1
//	source             "url" or "recording"
//	request            method; url: without user, password and query, "" if unknown
//	response           status; protocol; received: the time of receipt, or the assumed one
//	earlier            responses before this one, the last 20: status; url if known
//	throttled          the response refuses the request because of a limit
//	verdict            what helps, if it does: wait, only this, never or unknown, see docs/refusals.md; absent if it does not
//	sign               the header field, or the path of a member of the body, that shows that; absent if there is none
//	cached             the response comes from a cache, so its limits are ignored
//	retry_after        the server's Retry-After
//	violated_policies  names in a problem+json body
//	limits             one for each limit in the response, by precedence:
//	  policy           its name, "" if it has none
//	  partition_key    base64 text, "" if none
//	  dialect          the fields with the limit: RateLimit (drafts 08 and later), RateLimit (draft 07), RateLimit-*,
//	                   X-RateLimit-*, X-Rate-Limit-*, RateLimit-Policy (alone), named fields (such as X-RateLimit-Limit-Tokens)
//	  unit             what is counted: "requests", "tokens" …
//	  quota, remaining
//	  cost             units that this request has used
//	  window, reset    reset: from receipt until more units are available
//	  rate             units per second that headway allows now; null if the limit sets no rate
//	  share            this client's estimated share of the quota; null if headway does not pace by it
//	problems           fields that were ignored or clamped, the first 50 by name; a note says how many more there are:
//	  field
//	  reason           malformed, cached, too_long, too_many, too_fast, no_clock, too_far, doubted, placeholder,
//	                   repeated, crowded, broken, other
//	  cause            of malformed: syntax, truncated, type, range, missing, number, time, conflict, too_long,
//	                   too_many, other; else ""
//	  offset           of the cause in the field's value, in bytes
//	  explanation      the same in words
//	  sent             the field's value, escaped and cut to a maximum length
//	pacing
//	  limited          the response has anything that limits requests
//	  wait             until the next request may go at the earliest; 0: at once
//	  until            the same as a point in time; null: at once
//	  policy           name of the policy for which the next request waits, or will be the first to wait; "" if none
//	  at_once          requests that a client may send unspaced after a pause, with -n that this client may send now;
//	                   null if nothing in the response bounds them
//	  or_more          at_once is as many as were tried
//	  rate, interval   of requests, now; null if no rate is known
//	  thousand         seconds that 1,000 requests would take, roughly; null if no limit is known
//	requests           with -n, one for each that was sent: after: from the first; status; throttled; limits: as above,
//	                   but rate and share are null
//	notes              further remarks, in words
//	profile            of fields that headway does not know, see validate.ReadProfiles; absent if there are none
//	exit_code          as above
//
// For limits in units other than requests and bytes, each request counts as one unit. A Transport learns the real
// use from many responses.
//
// # headway audit
//
// Audit says whether what an API tells about its limits is true. It is for the API's authors. docs/audit.md has the checks.
//
//	-json       write JSON
//	-page       also write a page in Markdown to this file
//	-X, -method method of the requests; conditional requests and one for a missing path are sent with GET and HEAD alone
//	-H          a field to send; may be repeated. It goes to the origin of URL only, as no redirect is followed
//	-timeout    how long each request may take, 30 s by default
//	-n          send at most so many requests, 30 by default and up to 1000
//	-rate       send at most so many requests a second, 2 by default and up to 100
//	-max-wait   how long to wait for Retry-After or a reset, 2 minutes by default; there are at most two such waits
//	-cost       how many units a request uses, if the server does not say so
//	-beyond     go beyond what the server reports, up to the first refusal, without asking
//
// Its exit code is 0 if nothing misleads clients, 1 if no limits are reported, 2 if the command line is wrong, 3 if a
// request failed or was redirected, and 4 if something misleads clients.
//
// Its JSON is a document like that of inspect:
//
//	version     1
//	method, url url: without user, password and query
//	sent        the number of requests; refused: how many of them were refused; took: from the first to the last
//	findings    id: of the check; limit: if there are several; verdict: true, misleading, not told or not seen; text;
//	            suggestion: absent if there is none
//	suggested   header fields in the form of the draft; those that are not known have a word in capital letters
//	requests    after: from the first; kind: plain, conditional or missing; status; refused; retry_after; limits: policy,
//	            remaining, reset
//	notes       further remarks, in words
//	exit_code   as above
package main
