package sim

import (
	"net/http"
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
)

func xRateLimit(reset ...string) ratelimittest.Dialect {
	return ratelimittest.Fields(append([]string{"X-RateLimit-Limit: {limit}", "X-RateLimit-Remaining: {remaining}"}, reset...)...)
}

// CostBody has the cost and the bucket of Shopify's GraphQL API, which refuses with status 200.
var CostBody = Body{
	Next:   ratelimittest.Respond(http.StatusOK, `{"data":{},`+costOf("{cost}")),
	Refuse: ratelimittest.Respond(http.StatusOK, `{"errors":[{"message":"Throttled","extensions":{"code":"THROTTLED"}}],`+costOf("null")),
}

func costOf(actual string) string {
	return `"extensions":{"cost":{"requestedQueryCost":{cost},"actualQueryCost":` + actual +
		`,"throttleStatus":{"maximumAvailable":{limit},"currentlyAvailable":{remaining},"restoreRate":{rate}}}}}`
}

// A Body is how an API responds to requests that are allowed, and to those that are refused.
type Body struct{ Next, Refuse http.Handler }

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
