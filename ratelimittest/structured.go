package ratelimittest

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Draft10 is the dialect of draft-ietf-httpapi-ratelimit-headers-10 (§3, §4), as
// of draft 08:
//
//	RateLimit-Policy: "default";q=100;w=60
//	RateLimit: "default";r=50;t=30
//
// A quota unit other than requests is told as qu, a partition key as pk of both
// fields. A byte that a String cannot hold (RFC 9651 §3.3.3), such as those of é,
// becomes a question mark. Cloudflare's API speaks it.
//
// Both fields are lists, to which Draft10 adds a line, as express-rate-limit
// does. So Handlers can stand behind each other, one that counts requests and
// one that counts bytes, and the client reads the limits of both. They should
// have policies of different names, because a client takes two of one name for
// one.
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

// draft10 returns the items of RateLimit-Policy and RateLimit.
func (l Limit) draft10() (policy, limit string) {
	policy = sfString(l.Policy) + ";q=" + count(l.Quota)
	if l.Window > 0 {
		policy += ";w=" + seconds(l.Window)
	}
	if l.Unit != "" && l.Unit != UnitRequests {
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

// Draft07 is the dialect of draft-ietf-httpapi-ratelimit-headers-07 (§2, §3), a
// dictionary of the tightest limit and the policies of all that have a window:
//
//	RateLimit-Policy: 100;w=60
//	RateLimit: limit=100, remaining=50, reset=30
//
// The draft requires a reset, so that a limit without one, such as a Concurrency, is
// not told. No two policies may have the same quota: of those the limit told has the
// say, or else the first one. It is express-rate-limit's draft-7.
func Draft07(h http.Header, _ time.Time, d Decision) {
	d.Limits = withReset(d.Limits)
	l, ok := d.tightest()
	if !ok {
		return
	}
	setPolicies(h, d.namelessPolicies(l))
	l = l.structured()
	h.Set("RateLimit", "limit="+count(l.Quota)+", remaining="+count(l.Remaining)+", reset="+seconds(l.Reset))
}

func withReset(limits []Limit) []Limit {
	return slices.DeleteFunc(slices.Clone(limits), func(l Limit) bool { return l.Reset < 0 })
}

// namelessPolicies returns the policies as the drafts before 08 write them. There a
// policy needs a window and is known by its quota alone: another one of the same
// quota would be taken for that of the limit told.
func (d Decision) namelessPolicies(told Limit) []string {
	var policies []string
	written := make(map[int64]bool)
	for _, l := range d.Limits {
		quota := l.structured().Quota
		if l.Window <= 0 || written[quota] || quota == told.structured().Quota && l != told {
			continue
		}
		written[quota] = true
		policies = append(policies, count(quota)+";w="+seconds(l.Window))
	}
	return policies
}

func setPolicies(h http.Header, policies []string) {
	if len(policies) > 0 {
		h.Set("RateLimit-Policy", strings.Join(policies, ", "))
	}
}

// maxInteger is the greatest Integer of a structured field (RFC 9651 §3.3.1).
const maxInteger = 999_999_999_999_999

// structured returns l with its numbers held at what a structured field can say.
func (l Limit) structured() Limit {
	l.Quota = max(min(l.Quota, maxInteger), -maxInteger)
	l.Remaining = max(min(l.Remaining, maxInteger), -maxInteger)
	return l
}

// sfString writes a String (RFC 9651 §4.1.6), with a question mark for each byte
// that it cannot hold.
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
