package ratelimittest

import (
	"encoding/base64"
	"net/http"
	"strings"
	"time"
)

// Draft10 is the dialect of draft-ietf-httpapi-ratelimit-headers-10 (§3, §4), and of the drafts 08 and 09:
//
//	RateLimit-Policy: "default";q=100;w=60
//	RateLimit: "default";r=50;t=30
//
// The policy has the parameter qu if its quota unit is not requests. Both fields have the parameter pk if
// there is a partition key. Each byte that a String cannot contain (RFC 9651 §3.3.3), such as those of é,
// becomes a question mark. Cloudflare's API uses this dialect.
//
// Both fields are lists, and Draft10 adds a line to each, as express-rate-limit does. So one Handler can be
// the Next of another, for example to limit both requests and bytes, and the client reads both limits. The
// two policies need different names, because a client takes equal names as one policy.
func Draft10(h http.Header, _ time.Time, d Decision) {
	if len(d.Limits) == 0 {
		return
	}
	policies := make([]string, len(d.Limits))
	limits := make([]string, len(d.Limits))
	for i, l := range d.Limits {
		policies[i], limits[i] = l.structured().draft10()
	}
	h.Add("RateLimit-Policy", strings.Join(policies, ", "))
	h.Add("RateLimit", strings.Join(limits, ", "))
}

// draft10 returns the limit's items in RateLimit-Policy and RateLimit.
func (l Limit) draft10() (policy, limit string) {
	policy = sfString(l.Policy) + ";q=" + count(l.Quota)
	if l.Window > 0 {
		policy += ";w=" + seconds(l.Window)
	}
	if l.Unit != "" && l.Unit != unitRequests {
		policy += ";qu=" + sfString(l.Unit)
	}
	limit = sfString(l.Policy) + ";r=" + count(l.Remaining)
	if l.Reset >= 0 {
		limit += ";t=" + seconds(l.Reset)
	}
	if l.PartitionKey != "" {
		pk := ";pk=:" + base64.StdEncoding.EncodeToString([]byte(l.PartitionKey)) + ":"
		policy, limit = policy+pk, limit+pk
	}
	return policy, limit
}

// namelessPolicies returns RateLimit-Policy as in drafts before 08. A policy there has no name, so a client finds the
// policy of the reported limit by its quota. Other policies with that quota are left out.
func (d Decision) namelessPolicies(reported Limit) string {
	var policies []string
	written := make(map[int64]bool)
	for _, l := range d.Limits {
		quota := l.structured().Quota
		if l.Window <= 0 || written[quota] || quota == reported.structured().Quota && l.structured() != reported.structured() {
			continue
		}
		written[quota] = true
		policies = append(policies, count(quota)+";w="+seconds(l.Window))
	}
	return strings.Join(policies, ", ")
}

// maxInteger is the largest Integer of a structured field (RFC 9651 §3.3.1).
const maxInteger = 999_999_999_999_999

// structured returns l with its counts bounded to Integers of structured fields.
func (l Limit) structured() Limit {
	l.Quota = max(min(l.Quota, maxInteger), -maxInteger)
	l.Remaining = max(min(l.Remaining, maxInteger), -maxInteger)
	return l
}

// sfString serialises a String (RFC 9651 §4.1.6). Each byte that a String cannot contain becomes a question mark.
func sfString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(s) {
		if c == '"' || c == '\\' {
			b.WriteByte('\\')
		}
		if c < ' ' || c > '~' {
			c = '?'
		}
		b.WriteByte(c)
	}
	b.WriteByte('"')
	return b.String()
}
