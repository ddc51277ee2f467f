package parse

import "bytes"

// A family numbers the fields that stand alone, and the fields that describe limits
// together, each with one part. Fields are read in this order.
type family uint8

const (
	rateLimit family = iota + 1
	rateLimitPolicy
	retryAfter
	retryAfterFine
	retryAfterAlias
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

// identify finds the field called name; the zero key if it is none of ours. Most
// fields of a response are told by their first letters or length alone.
func identify(name string) key {
	if len(name) < len("ratelimit") || len(name) > longestName {
		if len(name) == len("Age") && lower(name[0]) == 'a' && lower(name[1]) == 'g' && lower(name[2]) == 'e' {
			return key{family: ageField}
		}
		return key{}
	}
	if !mayBeOurs(name) {
		return key{}
	}
	switch name { // as net/http spells the commonest: a sixth of the time
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
	var room [longestName]byte
	for i := range len(name) {
		room[i] = lower(name[i])
	}
	return identifyLower(room[:len(name)])
}

// mayBeOurs tells by the first letters.
func mayBeOurs(name string) bool {
	second := lower(name[1])
	switch lower(name[0]) {
	case 'r', 'z':
		return second == 'a' || second == 'e' // ratelimit, retry-after, requestlimit, zendesk
	case 'a':
		return second == 'n' || second == 'k' || second == 'u' // anthropic, akamai, auth0
	case 's':
		return second == 'f' // sforce
	case 'x':
		return second == '-' && mayFollowX(lower(name[2]))
	}
	return false
}

// mayFollowX is false for the likes of X-Powered-By and X-Xss-Protection.
func mayFollowX(c byte) bool {
	switch c {
	case 'r', 'f', 'a', 'c', 'd', 'e', 'h', 'm', 'q', 's', 't':
		return true
	}
	return false
}

func identifyLower(name []byte) key {
	switch string(name) {
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
		return withoutLimit(name)
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
// makes it another field, of which nothing is known.
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
	return key{}
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
