package parse

import (
	"bytes"
	"strings"
)

// A family numbers the fields that stand alone, and the fields that describe limits
// together, each with one part. Fields are read in this order.
type family uint8

const (
	rateLimit family = iota + 1
	rateLimitPolicy
	retryAfter
	retryAfterFine
	retryAfterAlias
	retryAfterNamed // before the limits, of which it may be evidence
	trio
	xRateLimit
	xDashed
	vendor // other names of parts
	usages // Salesforce's list
	quotas // Auth0's and Zendesk's lists
	hits   // Path of Exile's lists: after xDashed, which may name their policy
	ageField
	fromCacheField
)

// longestName is more than the longest name of ours has.
const longestName = 64

// A key says what a field tells: its family, in families of parts which part, and of
// which of the family's limits; "" for the plain names.
type key struct {
	family family
	part   part
	label  string
}

// hasOurLetter tells most other fields of a response by their first letter. The order of a map is
// random, so that each branch that depends on a name is one; this is one for all letters.
func hasOurLetter(name string) bool {
	const ours = 1<<('a'&31) | 1<<('r'&31) | 1<<('s'&31) | 1<<('x'&31) | 1<<('z'&31)
	return name != "" && ours>>(name[0]&31)&1 != 0
}

// mayBeOurs tells most of the others by their first letters or length.
func mayBeOurs(name string) bool {
	if len(name) < len("ratelimit") {
		return len(name) == len("age") && lower(name[0]) == 'a' && lower(name[1]) == 'g' && lower(name[2]) == 'e'
	}
	switch second := name[1] | 0x20; name[0] | 0x20 {
	case 'r', 'z':
		return second == 'a' || second == 'e' // ratelimit, retry-after, requestlimit, zendesk
	case 'a':
		return second == 'n' || second == 'k' || second == 'u' // anthropic, akamai, auth0
	case 's':
		return second == 'f' // sforce
	case 'x':
		return second == '-' && mayFollowX(name[2]|0x20, name[6]|0x20)
	}
	return false
}

// commonest finds the commonest fields as net/http spells them: a sixth of the time of identify.
func commonest(name string) key {
	switch name {
	case "Ratelimit":
		return key{family: rateLimit}
	case "Ratelimit-Policy":
		return key{family: rateLimitPolicy}
	case "Retry-After":
		return key{family: retryAfter}
	case "Ratelimit-Limit":
		return key{family: trio, part: partLimit}
	case "Ratelimit-Remaining":
		return key{family: trio, part: partRemaining}
	case "Ratelimit-Reset":
		return key{family: trio, part: partReset}
	case "X-Ratelimit-Limit":
		return key{family: xRateLimit, part: partLimit}
	case "X-Ratelimit-Remaining":
		return key{family: xRateLimit, part: partRemaining}
	case "X-Ratelimit-Reset":
		return key{family: xRateLimit, part: partReset}
	}
	return key{}
}

// identify finds the field called name, in any spelling; the zero key if it is none of ours.
func identify(name string) key {
	if len(name) > longestName {
		return key{}
	}
	var room [longestName]byte
	for i := range len(name) {
		room[i] = lower(name[i])
	}
	return identifyLower(room[:len(name)])
}

// mayFollowX tells by the third and the seventh letter. It is false for the likes of X-Request-Id,
// X-Frame-Options and X-Content-Type-Options.
func mayFollowX(third, seventh byte) bool {
	ours := ""
	switch third {
	case 'r':
		ours = "l-yr" // ratelimit, rate-limit, retry, readratelimit
	case 'a', 'd':
		ours = "-io" // amzn, appminlimit; daylimit, discogs
	case 'm', 'q':
		ours = "aei" // ms-ratelimit, ms-retry, minlimit; quota
	case 's':
		ours = "ri" // sentry, shopify, sib-ratelimit
	case 't':
		ours = "tl" // throttle, trial
	case 'c', 'f', 'e', 'h':
		ours = "u-op" // concurrency, from-cache, endpoint, hubspot
	}
	return strings.IndexByte(ours, seventh) >= 0
}

func identifyLower(name []byte) key {
	switch string(name) {
	case "age":
		return key{family: ageField}
	case "ratelimit":
		return key{family: rateLimit}
	case "ratelimit-policy":
		return key{family: rateLimitPolicy}
	case "retry-after":
		return key{family: retryAfter}
	case "x-from-cache":
		return key{family: fromCacheField}
	}
	if !bytes.Contains(name, []byte("limit")) {
		if k := withoutLimit(name); k.family != 0 {
			return k
		}
	}
	if label, ok := bytes.CutPrefix(name, []byte("retry-after-")); ok && isChosen(label) {
		return key{family: retryAfterNamed, label: labelOf(label)}
	}
	if k := vendors(name); k.family != 0 {
		return k
	}
	if suffix, ok := bytes.CutPrefix(name, []byte("ratelimit-")); ok {
		return inFamily(trio, suffix)
	}
	if suffix, ok := bytes.CutPrefix(name, []byte("x-ratelimit-")); ok {
		return inFamily(xRateLimit, suffix)
	}
	if suffix, ok := bytes.CutPrefix(name, []byte("x-rate-limit-")); ok {
		return inFamily(xDashed, suffix)
	}
	return prefixed(name)
}

// inFamily finds the part, and the label if there is one, in what follows the name of a
// family: limit, limit-tokens or tokens-limit. A label of words that measureOf does not know
// makes it another field, of which nothing is known, but for those that throttler finds.
func inFamily(f family, suffix []byte) key {
	if p := partOf(suffix); p != partNone {
		return key{family: f, part: p}
	}
	for i, c := range suffix {
		if c != '-' {
			continue
		}
		if k := labelled(f, suffix[:i], suffix[i+1:]); k.family != 0 {
			return k
		}
		if k := labelled(f, suffix[i+1:], suffix[:i]); k.family != 0 {
			return k
		}
	}
	if f == vendor {
		return key{}
	}
	return throttler(f, suffix)
}

func labelled(f family, of, by []byte) key {
	p := partOf(of)
	if !p.mayHaveLabel() {
		return key{}
	}
	label := labelOf(by)
	if _, ok := measureOf(label); !ok {
		return key{}
	}
	return key{f, p, label}
}

// labelOf returns the text of a label, without making one of the usual.
func labelOf(b []byte) string {
	switch string(b) {
	case "requests":
		return "requests"
	case "tokens":
		return "tokens"
	case "input-tokens":
		return "input-tokens"
	case "output-tokens":
		return "output-tokens"
	case "second":
		return "second"
	case "minute":
		return "minute"
	case "hour":
		return "hour"
	case "day":
		return "day"
	case "month":
		return "month"
	}
	return string(b)
}
