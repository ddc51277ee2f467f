// Headway says what a server tells about its rate limits, and how package headway would
// pace requests for it.
//
//	headway inspect [flags] URL
//	curl -i URL | headway inspect [flags] [-]
//
// It sends one request to URL, or reads from standard input what curl -i or curl -v has
// written of a response. Of several responses one after another, such as redirects, 100
// Continue or what a proxy says of a connection, the last final one counts; the others are
// mentioned. As a body may show a response itself, another one is looked for behind it only
// if Content-Length tells where it ends, or if curl -v goes on: after a redirect, say, but
// not after a refusal. At most 1 MiB is read. The report says which limits the response
// tells and in which dialect, which fields were ignored or clamped and why, and how a client
// with headway.Transport would go on. The last is not calculated here: a Transport is given
// the response, and watched. With -n it is the one that has sent the requests.
//
// In the report all that others have chosen is cut off, and what is not printable is
// escaped. A field's value is shown only where the field was ignored or clamped, and no
// more than 50 of such problems are listed. Fields of requests are never shown, nor are
// user, password and query of a URL.
//
// On a terminal limits are in a table, with colours unless NO_COLOR is set; TERM=dumb, a
// file or a pipe get plain lines.
//
// # Flags
//
//	-json       write JSON
//	-X, -method method of the request; of a recorded one as well, if curl -v has not told it
//	-H          a field to send; may be repeated. It goes to the origin of URL only, not where that redirects
//	-timeout    how long all requests and waits may take, 30 s if not given
//	-n          send up to so many requests, 100 at most, as headway paces them, and report how the numbers move
//	-host       host of a recorded response, perhaps with a path, for servers whose fields need another reading than others'
//	-at         when a recorded response was received, in the form of RFC 3339: its Date if not given, else now
//
// With -n no refused request is sent again. What is reported is the last response; it is a
// note if a request was not sent because it would have had to wait longer than -timeout.
//
// # Exit codes
//
//	0  limits, or a time to wait, are told, and all of it was read
//	1  nothing is told about limits
//	2  the command line is wrong
//	3  no response: the request failed, or the recording cannot be read; with -n also if a later request failed
//	4  something that the server sent was ignored or clamped, whatever else was read
//
// # JSON
//
// The document is in ASCII. Times that last are in seconds, rates per second, both numbers;
// points in time are in the form of RFC 3339; null is what is not known. Members may be
// added; a change of those below raises version.
//
//	version            1
//	source             "url" or "recording"
//	request            method; url: without user, password and query, "" if not known
//	response           status; protocol; received: when, or when it is taken to have been
//	earlier            responses before this one, the last 20: status; url if known
//	throttled          the response refuses the request because of a limit
//	cached             a cache answered, so limits are not believed
//	retry_after        what the server asks to wait
//	violated_policies  names that a problem+json body gives
//	limits             one for each that is told, by precedence:
//	  policy           its name, "" if it has none
//	  partition_key    base64 text, "" if none
//	  dialect          the fields that told it: RateLimit (drafts 08 and later), RateLimit (draft 07), RateLimit-*,
//	                   X-RateLimit-*, X-Rate-Limit-*, RateLimit-Policy (alone), named fields (such as X-RateLimit-Limit-Tokens)
//	  unit             what is counted: "requests", "tokens" …
//	  quota, remaining
//	  window, reset    reset: from receipt until there is more
//	  rate             of units, that headway allows now; null if the limit sets none
//	  share            part of the quota that is taken for this client's own; null if headway does not pace by it
//	problems           fields that were ignored or clamped, the first 50 by name; a note says how many more there are:
//	  field
//	  reason           malformed, cached, too_long, too_many, too_fast, no_clock, placeholder, ambiguous, repeated, crowded, other
//	  cause            of malformed: syntax, truncated, digits, type, range, missing, empty, number, time, conflict,
//	                   too_long, too_many, other; else ""
//	  offset           of the cause in the field's value, in bytes
//	  explanation      the same in words
//	  sent             the field's value, escaped and cut off
//	pacing
//	  limited          anything is told that limits requests
//	  wait             until the next request may go at the earliest; 0: at once
//	  until            the same as a point in time; null: at once
//	  policy           name of the policy that makes it wait, or will be the first to; "" if none
//	  at_once          requests that a client may send unspaced after a pause, with -n that this client may send now;
//	                   null if nothing is told that bounds them
//	  or_more          at_once is as many as were tried
//	  rate, interval   of requests, now; null if nothing is told of a rate
//	requests           with -n, one for each that was sent: after: from the first; status; throttled; limits: as above,
//	                   but that rate and share are null
//	notes              what else there is to say, in words
//	exit_code          as above
//
// Of limits in other units than requests and bytes each request is counted as one unit, as
// what requests really use is learned from many answers.
package main
