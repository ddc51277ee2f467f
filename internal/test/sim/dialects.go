package sim

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/headway-go/headway/ratelimittest"
)

// What servers write, beside the dialects of ratelimittest. Each is a ratelimittest.Dialect.
var (
	// Draft07 is draft-ietf-httpapi-ratelimit-headers-07 (§2, §3).
	Draft07 = ratelimittest.Fields("RateLimit-Policy: {policies}", "RateLimit: limit={limit}, remaining={remaining}, reset={reset}")
	// TrioInLimit has the policies in RateLimit-Limit, as draft-ietf-httpapi-ratelimit-headers-03 (§5.1).
	TrioInLimit = ratelimittest.Fields("RateLimit-Limit: {limit}, {policies}", "RateLimit-Remaining: {remaining}", "RateLimit-Reset: {reset}")
	// XRateLimitDelta has a reset in seconds from now.
	XRateLimitDelta = xRateLimit("X-RateLimit-Reset: {reset}")
	// XRateLimitMillis has a reset in milliseconds since 1970.
	XRateLimitMillis = xRateLimit("X-RateLimit-Reset: {unix-ms}")
	// XRateLimitRFC3339 has a reset that is a date.
	XRateLimitRFC3339 = xRateLimit("X-RateLimit-Reset: {rfc3339}")
	// XRateLimitCounts has no reset.
	XRateLimitCounts = xRateLimit()
	// Dimensioned has fields for each quota unit, as OpenAI's API.
	Dimensioned = ratelimittest.Fields("X-RateLimit-Limit-{unit}: {limit}", "X-RateLimit-Remaining-{unit}: {remaining}",
		"X-RateLimit-Reset-{unit}: {duration}")
	// RetryAfterSeconds is what a Handler writes into refusals by itself.
	RetryAfterSeconds = ratelimittest.Fields("Retry-After: {retry-after}")
	// RetryAfterDate is a Retry-After that is a date.
	RetryAfterDate = ratelimittest.Fields("Retry-After: {retry-date}")
	// Percent is how much is used, without the quota and the reset, as Facebook's Graph API reports it.
	Percent = ratelimittest.Fields(`X-App-Usage: {"call_count":{percent},"total_cputime":0,"total_time":0}`)
)

func xRateLimit(reset ...string) ratelimittest.Dialect {
	return ratelimittest.Fields(append([]string{"X-RateLimit-Limit: {limit}", "X-RateLimit-Remaining: {remaining}"}, reset...)...)
}

// Bodies of APIs that report their limits there. CostBody is the cost and the bucket of Shopify's GraphQL API, PointsBody
// the hour of GitHub's, and RetryAfterBody the refusal of Telegram's Bot API. The first two refuse with status 200.
var (
	CostBody = body(
		http.StatusOK, `{"data":{},`+costOf("{cost}"),
		http.StatusOK, `{"errors":[{"message":"Throttled","extensions":{"code":"THROTTLED"}}],`+costOf("null"))
	PointsBody = body(
		http.StatusOK, `{"data":{"rateLimit":{"limit":{limit},"cost":{cost},"remaining":{remaining},"resetAt":"{rfc3339}"}}}`,
		http.StatusOK, `{"errors":[{"type":"RATE_LIMITED","message":"API rate limit exceeded"}]}`)
	RetryAfterBody = body(
		http.StatusOK, `{"ok":true,"result":true}`,
		http.StatusTooManyRequests, `{"ok":false,"error_code":429,"description":"Too Many Requests: retry after {retry-after}","parameters":{"retry_after":{retry-after}}}`)
)

func costOf(actual string) string {
	return `"extensions":{"cost":{"requestedQueryCost":{cost},"actualQueryCost":` + actual +
		`,"throttleStatus":{"maximumAvailable":{limit},"currentlyAvailable":{remaining},"restoreRate":{rate}}}}}`
}

// A Body is how an API responds to requests that are allowed, and to those that are refused.
type Body struct{ Next, Refuse http.Handler }

func body(status int, allowed string, refusal int, refused string) *Body {
	return &Body{ratelimittest.Respond(status, allowed), ratelimittest.Respond(refusal, refused)}
}

// Pairs is the dialect of Riot's APIs: pairs of a number and a window in seconds, one for each limit with a window. The
// second field has the units that are used:
//
//	X-App-Rate-Limit: 20:1,100:120
//	X-App-Rate-Limit-Count: 1:1,1:120
func Pairs(h http.Header, _ time.Time, d ratelimittest.Decision) {
	var quotas, used []string
	for _, l := range d.Limits {
		quotas = append(quotas, fmt.Sprintf("%d:%.0f", l.Quota, l.Window.Seconds()))
		used = append(used, fmt.Sprintf("%d:%.0f", l.Quota-l.Remaining, l.Window.Seconds()))
	}
	h.Set("X-App-Rate-Limit", strings.Join(quotas, ","))
	h.Set("X-App-Rate-Limit-Count", strings.Join(used, ","))
}

// Throttlers is the dialect of NestJS's throttlers. Each policy has fields of its own, with the policy's name at the end
// of the field's name, and the reset in seconds from now. A limit that refuses the request has only Retry-After-Name:
//
//	X-RateLimit-Limit-Short: 3
//	X-RateLimit-Remaining-Short: 2
//	X-RateLimit-Reset-Short: 1
//
// A Handler with this dialect needs RetryAfter: Silent.
func Throttlers(h http.Header, now time.Time, d ratelimittest.Decision) {
	for _, l := range d.Limits {
		one := ratelimittest.Decision{Limits: []ratelimittest.Limit{l}, RetryAfter: l.Reset}
		if l.Reset < 0 || d.RetryAfter > 0 && d.RetryAfter < l.Reset {
			one.RetryAfter = d.RetryAfter
		}
		suffix := "-" + l.Policy
		if !d.Allowed && l.Remaining <= 0 {
			ratelimittest.Fields("Retry-After"+suffix+": {retry-after}")(h, now, one)
			continue
		}
		ratelimittest.Fields("X-RateLimit-Limit"+suffix+": {limit}", "X-RateLimit-Remaining"+suffix+": {remaining}",
			"X-RateLimit-Reset"+suffix+": {reset}")(h, now, one)
	}
}
