package ratelimittest

import (
	"net/http"
	"strings"
	"time"
)

// Fields returns the Dialect of a server that sends these header fields. A line is a field as it is on the wire,
// with placeholders for what changes:
//
//	Fields("X-RateLimit-Limit: {limit}", "X-RateLimit-Remaining: {remaining}", "X-RateLimit-Reset: {rfc3339}")
//
//	{limit}        q, the quota
//	{remaining}    r, what remains of it; {used} is the rest, and {percent} the rest in percent, rounded up
//	{window}       w, in seconds
//	{reset}        t, in seconds from now; {duration} is the same as Go writes it, with milliseconds (6m0.5s)
//	{unix}         the time at which t ends, in seconds since 1970; {unix-ms} in milliseconds
//	{rfc3339}      the same as a date, in UTC
//	{policy}       the policy's name; {unit} is its quota unit
//	{policies}     all policies in the form 100;w=60, at most one per quota
//	{rate}         q/w, in units per second
//	{retry-after}  of a refusal, in seconds; {retry-date} is the same as a date (RFC 9110 §5.6.7)
//
// Any other text stays as it is. A line with a value that the limit does not have is left out. The values are those
// of the tightest limit. If the field's name contains {unit}, there is a field for the tightest limit of each unit:
//
//	X-RateLimit-Limit-{unit}: {limit}      // X-RateLimit-Limit-Requests, X-RateLimit-Limit-Tokens
//
// In names, each character of a unit that is not an ASCII letter, digit or underscore becomes a hyphen.
func Fields(lines ...string) Dialect {
	return func(h http.Header, now time.Time, d Decision) {
		for _, line := range lines {
			name, value, _ := strings.Cut(line, ":")
			for _, f := range d.fillings(now, name) {
				if text, complete := f.fill(strings.TrimSpace(value)); complete {
					h.Set(strings.ReplaceAll(name, "{unit}", dimension(f.limit.Unit)), text)
				}
			}
		}
	}
}

// fillings returns what fills in a field with that name: one for each field to write.
func (d Decision) fillings(now time.Time, name string) []filling {
	inStructured := strings.HasPrefix(name, "RateLimit")
	if !strings.Contains(name, "{unit}") {
		return []filling{d.filling(now, inStructured)}
	}
	var all []filling
	for _, l := range d.tightestPerUnit() {
		all = append(all, filling{decision: d, now: now, limit: l, isKnown: true})
	}
	return all
}

// XRateLimit is the most common dialect, although no document defines it. Its reset is a point in time, in
// seconds since 1970 on the server's clock:
//
//	X-RateLimit-Limit: 100
//	X-RateLimit-Remaining: 50
//	X-RateLimit-Reset: 1700000030
//
// GitHub, ClickUp, SendGrid and Laravel use it. Other servers have other resets, as Fields can write them:
// {reset} behind Envoy and at Datadog, {unix-ms} at OpenRouter, {rfc3339} at Jira Cloud and Mastodon.
func XRateLimit(h http.Header, now time.Time, d Decision) {
	Fields("X-RateLimit-Limit: {limit}", "X-RateLimit-Remaining: {remaining}", "X-RateLimit-Reset: {unix}")(h, now, d)
}

// Trio is the dialect of draft-ietf-httpapi-ratelimit-headers-06 (§2, §3), with three fields for the tightest
// limit, and RateLimit-Policy with the policies of all limits with a window, but one per quota:
//
//	RateLimit-Policy: 100;w=60
//	RateLimit-Limit: 100
//	RateLimit-Remaining: 50
//	RateLimit-Reset: 30
//
// It corresponds to draft-6 of express-rate-limit. Draft-7 there is one field, which Fields can write:
// RateLimit: limit={limit}, remaining={remaining}, reset={reset}.
func Trio(h http.Header, now time.Time, d Decision) {
	Fields("RateLimit-Policy: {policies}", "RateLimit-Limit: {limit}", "RateLimit-Remaining: {remaining}",
		"RateLimit-Reset: {reset}")(h, now, d)
}

// retryAfterSeconds is what a Handler writes into refusals (RFC 9110 §10.2.3).
func retryAfterSeconds(h http.Header, _ time.Time, d Decision) {
	if d.RetryAfter > 0 {
		h.Set("Retry-After", seconds(d.RetryAfter))
	}
}
