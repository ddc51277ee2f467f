package parse

import (
	"bytes"
	"strings"
)

// A family is a group of field names. Some families are single fields. The other families describe
// limits, with a field for each part of a limit. Fields are read in the order of the constants.
type family uint8

const (
	rateLimit family = iota + 1
	rateLimitPolicy
	retryAfter
	retryAfterFine
	retryAfterAlias
	retryAfterNamed // before the families of limits, as isLimit looks for it
	trio
	xRateLimit
	xDashed
	vendor // vendors' own names
	usages // Salesforce's list
	quotas // Auth0's and Zendesk's lists
	hits   // Path of Exile's lists; after xDashed, as it may have the name of their policy
	ageField
	fromCacheField
)

// longestName is more bytes than the longest known field name has.
const longestName = 64

// A key identifies what a field reports. part and label are for families that describe limits: which part
// of a limit, and which limit of the family. label is "" for names without a label.
type key struct {
	family family
	part   part
	label  string
}

// hasKnownLetter is a fast filter for most other fields, by the first letter. It has one branch for all
// letters: the order of a map is random, so branches on names are often mispredicted.
func hasKnownLetter(name string) bool {
	const known = 1<<('a'&31) | 1<<('r'&31) | 1<<('s'&31) | 1<<('x'&31) | 1<<('z'&31)
	return name != "" && known>>(name[0]&31)&1 != 0
}

// mayBeKnown filters most of the remaining other fields by length, first and second letter.
func mayBeKnown(name string) bool {
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

// commonest finds the most common fields in the spelling of net/http. It takes a sixth of the time of
// identify.
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

// identify returns the key of the field called name, in any spelling. The key is zero for other fields.
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

// mayFollowX filters names that begin with X- by their third and seventh letter. It is false for the
// likes of X-Request-Id, X-Frame-Options and X-Content-Type-Options.
func mayFollowX(third, seventh byte) bool {
	known := ""
	switch third {
	case 'r':
		known = "l-yr" // ratelimit, rate-limit, retry, readratelimit
	case 'a', 'd':
		known = "-io" // amzn, appminlimit; daylimit, discogs
	case 'm', 'q':
		known = "aei" // ms-ratelimit, ms-retry, minlimit; quota
	case 's':
		known = "ri" // sentry, shopify, sib-ratelimit
	case 't':
		known = "tl" // throttle, trial
	case 'c', 'f', 'e', 'h':
		known = "u-op" // concurrency, from-cache, endpoint, hubspot
	}
	return strings.IndexByte(known, seventh) >= 0
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
	if label, ok := bytes.CutPrefix(name, []byte("retry-after-")); ok && isOperatorName(label) {
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

// inFamily finds the part and the label in the rest of a name after its family: limit, limit-tokens or
// tokens-limit. A label with words that measureOf does not know is left to operatorNamed.
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
	return operatorNamed(f, suffix)
}

func labelled(f family, partName, text []byte) key {
	p := partOf(partName)
	if !p.mayHaveLabel() {
		return key{}
	}
	label := labelOf(text)
	if _, ok := measureOf(label); !ok {
		return key{}
	}
	return key{f, p, label}
}

// labelOf returns the text of a label. It does not allocate for the usual labels.
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
