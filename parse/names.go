package parse

import (
	"bytes"
	"cmp"
	"strings"
	"time"

	"github.com/headway-go/headway/limits"
)

// The names of fields are data. A new vendor is a line in one of the tables.

// A family is a group of field names. Some families are single fields. The other families describe
// limits, with a field for each part of a limit. Fields are read in the order of the constants.
type family uint8

const (
	rateLimit family = iota + 1
	rateLimitPolicy
	rateLimitPartition
	retryAfterFine // the families of waits are in the order of WaitKind
	retryAfter
	retryAfterAlias
	retryAfterNamed // before the families of limits, as isLimit looks for it
	trio
	xRateLimit
	xDashed
	vendor    // vendors' own names
	anyPrefix // limits under a prefix that is in no table
	ageField
	fromCacheField
)

// dialects has the dialect of the limits without a label in each family of limits.
//
//nolint:gochecknoglobals // a table, which never changes
var dialects = [...]limits.Dialect{
	trio: limits.DialectTrio, xRateLimit: limits.DialectXRateLimit, xDashed: limits.DialectXDashed,
	vendor: limits.DialectNamed, anyPrefix: limits.DialectNamed,
}

// A part is the meaning of one field of a limit. The fields are read in the order of the constants: the
// first field that names the limit counts, and a refill rate needs the limit and the window.
type part uint8

const (
	partNone part = iota
	partLimit
	partRemaining
	partUsed
	partReset
	partResetMillis
	partResetAfter
	partWindow
	partWindowMillis
	partRefill
	partWait // a Retry-After; asWait turns it into a family
	partWaitMillis
	partRate // the parts from here on have no label
	partCost
	partBucket
	partResource
	partName
	partPolicy
	partRule
)

// mayHaveLabel reports whether the name of a field for this part may have a label. Only numbers and times may.
func (p part) mayHaveLabel() bool { return p >= partLimit && p <= partWaitMillis }

// parts is the table of parts by the phrases of names.
//
//nolint:gochecknoglobals // a table, which never changes
var parts = tableOf(map[part]string{
	partLimit:        "limit max burst-capacity capacity quota total allowed",               // Spring Cloud Gateway, Freshdesk, Tradier
	partRemaining:    "remaining remain left available",                                     // Companies House, Pipedrive, Apigee
	partUsed:         "used usage observed consumed",                                        // Strava, GitLab
	partReset:        "reset resets expiry resettime reset-time reset-at resetat resets-at", // Tradier, CloudTalk
	partResetMillis:  "reset-ms reset-millis reset-milliseconds reset-in-ms reset-after-ms",
	partResetAfter:   "reset-after resets-after reset-in resets-in reset-seconds reset-in-seconds reset-after-seconds",
	partWindow:       "window period interval duration window-size window-length window-seconds interval-seconds period-seconds period-in-sec", // Opsgenie
	partWindowMillis: "window-ms period-ms interval-ms interval-milliseconds",                                                                  // Trello, HubSpot
	partRefill:       "fillrate fill-rate refill-rate replenish-rate",                                                                          // Jira, Spring Cloud Gateway
	partWait:         "retry-after retryafter retry-after-seconds retry-after-secs",
	partWaitMillis:   "retry-after-ms retry-after-milliseconds",
	partCost:         "requested-tokens", // Spring Cloud Gateway
	partBucket:       "bucket",
	partResource:     "resource",
	partName:         "name",
	partPolicy:       "policy",
	partRule:         "rule",
})

// tableOf returns the keys of a map by the words of its values.
func tableOf[K comparable](words map[K]string) map[string]K {
	table := make(map[string]K)
	for k, list := range words {
		for word := range strings.FieldsSeq(list) {
			table[word] = k
		}
	}
	return table
}

// A key identifies what a field reports. part and label are for families that describe limits: which part
// of a limit, and which limit of the family. label is "" for names without a label.
type key struct {
	family family
	part   part
	label  string
}

// exactNames is the table of names that follow no rule, and of those that most servers send.
//
//nolint:gochecknoglobals // a table, which never changes
var exactNames = map[string]key{
	// In the spelling of net/http, so that they are found at once.
	"Ratelimit":             {family: rateLimit},
	"Ratelimit-Policy":      {family: rateLimitPolicy},
	"Retry-After":           {family: retryAfter},
	"Ratelimit-Limit":       {family: trio, part: partLimit},
	"Ratelimit-Remaining":   {family: trio, part: partRemaining},
	"Ratelimit-Reset":       {family: trio, part: partReset},
	"X-Ratelimit-Limit":     {family: xRateLimit, part: partLimit},
	"X-Ratelimit-Remaining": {family: xRateLimit, part: partRemaining},
	"X-Ratelimit-Reset":     {family: xRateLimit, part: partReset},

	"age":                 {family: ageField},
	"x-from-cache":        {family: fromCacheField},
	"ratelimit":           {family: rateLimit},
	"ratelimit-policy":    {family: rateLimitPolicy},
	"ratelimit-partition": {family: rateLimitPartition},
	"x-ratelimit":         {family: xRateLimit, part: partLimit}, // Composio
	"x-rate-limit":        {family: xDashed, part: partLimit},    // Zendesk

	// Atlassian's names for the fields of the drafts. Their part sorts them behind the plain fields, which count.
	"beta-ratelimit":        {family: rateLimit, part: partPolicy},
	"beta-ratelimit-policy": {family: rateLimitPolicy, part: partPolicy},

	// Waits: OpenAI, Azure, Traefik, Django, The Things Stack, Forecast.Solar.
	"retry-after":             {family: retryAfter},
	"retry-after-ms":          {family: retryAfterFine},
	"x-ms-retry-after-ms":     {family: retryAfterFine},
	"x-retry-in":              {family: retryAfterFine, part: partWait}, // in seconds
	"x-retry-after":           {family: retryAfterAlias},
	"x-throttle-wait-second":  {family: retryAfterAlias},
	"x-throttle-wait-seconds": {family: retryAfterAlias},
	"x-ratelimit-after":       {family: retryAfterAlias},
	"x-rate-limit-after":      {family: retryAfterAlias},
	"x-rate-limit-retry":      {family: retryAfterAlias},
	"x-ratelimit-retry-at":    {family: retryAfterAlias},

	// Names without a part, or without a hyphen before it: Discogs, HubSpot, Shopify, Gorgias, Lightspeed, Imgur, Xero, Crossref.
	"x-discogs-ratelimit":              {vendor, partLimit, "discogs"},
	"x-hubspot-ratelimit-daily":        {vendor, partLimit, "daily"},
	"x-hubspot-ratelimit-secondly":     {vendor, partLimit, "secondly"},
	"x-shopify-shop-api-call-limit":    {vendor, partLimit, "shop-api-call"},
	"x-gorgias-account-api-call-limit": {vendor, partLimit, "account-api-call"},
	"x-ls-api-bucket-level":            {vendor, partLimit, "api-bucket"},
	"x-ratelimit-userlimit":            {xRateLimit, partLimit, "user"},
	"x-ratelimit-userremaining":        {xRateLimit, partRemaining, "user"},
	"x-ratelimit-userreset":            {xRateLimit, partReset, "user"},
	"x-ratelimit-clientlimit":          {xRateLimit, partLimit, "client"},
	"x-ratelimit-clientremaining":      {xRateLimit, partRemaining, "client"},
	"x-daylimit-remaining":             {vendor, partRemaining, "day"},
	"x-minlimit-remaining":             {vendor, partRemaining, "minute"},
	"x-appminlimit-remaining":          {vendor, partRemaining, "app-minute"},
	"x-concurrency-limit":              {vendor, partLimit, "concurrency"},

	// A word too many before the part: BigCommerce.
	"x-rate-limit-time-reset-ms":  {xDashed, partResetMillis, "requests"},
	"x-rate-limit-time-window-ms": {xDashed, partWindowMillis, "requests"},

	// Parts with a meaning of their own: Amazon's Selling Partner API, Oracle, Linear.
	"x-amzn-ratelimit-limit":          {family: vendor, part: partRate},
	"requestlimit-default-retryafter": {vendor, partResetMillis, "default"},
	"requestlimit-write-retryafter":   {vendor, partResetMillis, "write"},
	"x-ratelimit-endpoint-name":       {xRateLimit, partName, "endpoint-requests"},
}

// prefixes is the table of beginnings of names. label is for names that have none of their own.
//
//nolint:gochecknoglobals // a table, which never changes
var prefixes = [...]struct {
	prefix string
	family family
	label  string
}{
	{"x-ratelimit-", xRateLimit, ""},
	{"ratelimit-", trio, ""},
	{"x-rate-limit-", xDashed, ""},
	{"retry-after-", retryAfterNamed, ""},
	{"anthropic-ratelimit-", vendor, ""},
	{"x-ms-ratelimit-", vendor, ""},
	{"x-sib-ratelimit-", vendor, ""},
	{"x-hubspot-ratelimit-", vendor, ""},
	{"x-discogs-ratelimit-", vendor, "discogs"},
	{"x-readratelimit-", vendor, "read"},
	{"akamai-sync-ratelimit-", vendor, "sync"},
	{"ratelimitbysize-", vendor, "bysize"},
	{"requestlimit-", vendor, ""},
	{"x-trial-endpoint-call-", vendor, "trial-endpoint-call"},     // Cohere
	{"x-endpoint-monthly-call-", vendor, "endpoint-monthly-call"}, // Cohere
	{"x-quota-", vendor, "quota"},                                 // Gravitee
}

// The lengths of windows by name. A month and a year have their greatest length, so that a client waits long enough.
const (
	day   = 24 * time.Hour
	week  = 7 * day
	month = 31 * day
	year  = 366 * day
)

// A measure is what a word or a label says about its limit: the quota unit and the window.
type measure struct {
	unit   limits.Unit
	window time.Duration // Unknown if there is none
}

// The tables of words. The unit of a word that ends in a hyphen qualifies another unit, as in input-tokens.
//
//nolint:gochecknoglobals // tables, which never change
var (
	// words has the words of labels.
	words = tableOf(map[measure]string{
		{limits.Requests, day}:  "rpd",
		{"tokens", time.Minute}: "tpm",
		{"tokens", day}:         "tpd",
		{"tokens", Unknown}:     "tokens bysize", // Mistral
		{"complexity", Unknown}: "complexity",    // Linear
		{"points", Unknown}:     "points",
		{"credits", Unknown}:    "credits",
		{"bytes", Unknown}:      "bytes",
		{"characters", Unknown}: "characters",
		{"percent", Unknown}:    "percent",
		{"weight", Unknown}:     "weight", // Binance
		{"input-", Unknown}:     "input",  // Anthropic
		{"output-", Unknown}:    "output", // Anthropic
		{"audio-", Unknown}:     "audio",
		{"", time.Second}:       "second secondly",
		{"", time.Minute}:       "minute minutely",
		{"", time.Hour}:         "hour hourly perhour", // Tumblr
		{"", day}:               "day daily perday",    // Tumblr
		{"", week}:              "week weekly",
		{"", month}:             "month monthly",
		{"", year}:              "year yearly",

		{"objects", Unknown}:                 "objects", // Akamai
		{"storage", Unknown}:                 "storage",
		{"kilobytes", Unknown}:               "kilobytes",
		{"megabytes", Unknown}:               "megabytes",
		{"gigabytes", Unknown}:               "gigabytes",
		{"prompt-", Unknown}:                 "prompt",
		{"completion-", Unknown}:             "completion",
		{"input-tokens", Unknown}:            "inputtokens",
		{"output-tokens", Unknown}:           "outputtokens",
		{"prompt-tokens", Unknown}:           "prompttokens",
		{"completion-tokens", Unknown}:       "completiontokens",                              // APISIX
		{limits.ConcurrentRequests, Unknown}: "concurrent concurrency",                        // Crossref, SmartRecruiters, Zuora
		{"money", Unknown}:                   "usd eur gbp cost budget cents balance dollars", // OpenAlex, orq.ai

		// Whole labels whose meaning only the vendor's documentation gives.
		{limits.Requests, 20 * time.Second}: "shop-api-call account-api-call", // Shopify, Gorgias: a twentieth of the bucket refills per second
		{limits.Requests, time.Minute}:      "rpm discogs api-bucket",         // Discogs; the bucket of Lightspeed is full after a minute
		{"audio-seconds", Unknown}:          "audio-seconds",
		{"audio-minutes", Unknown}:          "audio-minutes",

		// Names for the unit requests, and whom or what the limit is for, which does not change the unit.
		{"", Unknown}: "requests request req reqs calls call read reads write writes delete deletes" +
			" per default limit quota plan plans free hard rapid global usage based trial endpoint project user client app account" +
			" org organization team workspace tenant subscription resource api key token ip uid",
	})

	// formats has words for the format of a number and not its subject: X-RateLimit-Reset-Epoch, Retry-After-Seconds.
	formats = tableOf(map[bool]string{
		true: "ms millis milliseconds s sec secs seconds mins minutes hours days" +
			" at in on after date time timestamp datetime epoch unix utc iso iso8601 unit units format type hint human reason",
	})
)

// wordOf returns what a word of a label says: a word of the table, or a duration such as 1h. ok is false if it is neither.
func wordOf(word string) (m measure, ok bool) {
	if m, ok = words[word]; ok {
		return m, true
	}
	s := scanner{s: word}
	if d := s.duration(); s.err == nil && d > 0 {
		return measure{"", d}, true
	}
	return measure{"", Unknown}, false
}

// windowOf returns the length of a window by its name or as a duration; Unknown if it is neither.
func windowOf(word string) time.Duration {
	if m, _ := wordOf(word); m.unit == "" {
		return m.window
	}
	return Unknown
}

// measureOf reads a label word by word, such as tokens, req-minute or endpoint-requests. ok is false if there are two
// windows, or if a word is not known: X-RateLimit-Reset-Epoch, for example, is not a limit called epoch. m then has the
// measure of the known words.
func measureOf(label string) (m measure, ok bool) {
	if m, ok := words[label]; ok && m.unit != "" && !strings.HasSuffix(string(m.unit), "-") {
		return m, true
	}
	m, ok = measure{limits.Requests, Unknown}, strings.Trim(label, "-_ ") != ""
	kind := limits.Unit("")
	for word := range strings.FieldsFuncSeq(label, func(c rune) bool { return c == '-' || c == '_' || c == ' ' }) {
		w, isKnown := wordOf(word)
		ok = ok && isKnown && (w.window == Unknown || m.window == Unknown)
		switch {
		case strings.HasSuffix(string(w.unit), "-"):
			kind = w.unit
		case w.unit != "":
			m.unit = w.unit
		}
		if w.window != Unknown {
			m.window = w.window
		}
	}
	if m.unit != limits.Requests {
		m.unit = kind + m.unit
	}
	return m, ok
}

// longestName is more bytes than the longest known field name has.
const longestName = 64

// identify returns the key of the field called name, in any spelling. The key is zero for other fields.
func identify(name string) key {
	if k, ok := exactNames[name]; ok {
		return k
	}
	b := make([]byte, 0, longestName) // a string would be allocated
	for i := range len(name) {
		b = append(b, lower(name[i]))
	}
	if k, ok := exactNames[string(b)]; ok {
		return k
	}
	for i := range prefixes {
		p := &prefixes[i]
		if rest, ok := bytes.CutPrefix(b, []byte(p.prefix)); ok {
			k := inFamily(p.family, rest).asWait()
			k.label = cmp.Or(k.label, p.label)
			return k
		}
	}
	return key{}
}

// inFamily finds the part and the label in the rest of a name after its prefix: limit, limit-tokens or tokens-limit. The
// longest phrase at the end or at the beginning is the part, and the other words are the label. A label of unknown words
// may be a name that an operator chose: isLimit then decides whether the fields are a limit.
func inFamily(f family, rest []byte) (best key) {
	switch p := parts[string(rest)]; {
	case f == retryAfterNamed && isOperatorName(string(rest)):
		return key{family: f, label: string(rest)}
	case f == retryAfterNamed:
		return key{}
	case p != partNone:
		return key{family: f, part: p}
	}
	isBest, hasBefore, hasAfter := false, false, false
	consider := func(isDone *bool, phrase, label []byte) {
		if *isDone || !parts[string(phrase)].mayHaveLabel() {
			return
		}
		*isDone = true
		if k, isKnown := labelled(f, phrase, label); best.family == 0 || isKnown && !isBest {
			best, isBest = k, isKnown
		}
	}
	for i := 0; i < len(rest) && !isBest; i++ { // the shortest label first
		j := len(rest) - 1 - i
		if rest[i] == '-' {
			consider(&hasBefore, rest[i+1:], rest[:i])
		}
		if rest[j] == '-' {
			consider(&hasAfter, rest[:j], rest[j+1:])
		}
	}
	return best
}

// labelled returns the key of a phrase for a part and a label; it is zero if the label can be none. The
// word limit beside another part belongs to it: X-RateLimit-Limit-Remaining has no label.
func labelled(f family, phrase, label []byte) (k key, isKnown bool) {
	k = key{family: f, part: parts[string(phrase)]}
	k.label = string(bytes.TrimSuffix(bytes.TrimPrefix(label, []byte("limit-")), []byte("-limit")))
	if k.label == "limit" {
		k.label = ""
		return k, true
	}
	if _, isKnown = measureOf(k.label); !isKnown && (f == vendor || string(phrase) == "max" || !isOperatorName(k.label)) {
		return key{}, false
	}
	return k, isKnown
}

// asWait moves a part that is a wait into its family. Vendors that have no such field do not send it.
func (k key) asWait() key {
	switch {
	case k.part != partWait && k.part != partWaitMillis:
		return k
	case k.family == vendor:
		return key{}
	case k.part == partWaitMillis:
		return key{family: retryAfterFine}
	case k.label == "":
		return key{family: retryAfterAlias}
	}
	return key{family: retryAfterNamed, label: k.label}
}

// longestLabel is the most bytes of a limit's name that an operator chose. It leaves room for the rest of
// the field's name within longestName.
const longestLabel = 40

// isOperatorName reports whether label, in lower case, can be a name that an operator chose: a letter, then
// letters, digits, hyphens and underscores. A label that begins with a digit is a window's length, as
// Kong sends it: X-RateLimit-Limit-30.
func isOperatorName(label string) bool {
	return label != "" && len(label) <= longestLabel && isLower(label[0]) && !formats[label] &&
		strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") == ""
}

// known is true at the fingerprint of each name and beginning in the tables.
//
//nolint:gochecknoglobals // a table, which never changes
var known = fingerprints()

func fingerprints() (all [1 << 15]bool) {
	for name := range exactNames {
		all[fingerprint(name)] = true
	}
	for i := range prefixes {
		all[fingerprint(prefixes[i].prefix)] = true
	}
	return all
}

// fingerprint returns five bits each of three characters that tell names apart best, the same for upper and lower case.
func fingerprint(name string) uint {
	last := len(name) - 1
	return uint(name[min(6, last)]&31) | uint(name[min(2, last)]&31)<<5 | uint(name[0]&31)<<10
}

// mayBeKnown is a fast filter for nearly all other fields. The order of a map is random, so it has few branches.
func mayBeKnown(name string) bool {
	return name != "" && len(name) <= longestName && known[fingerprint(name)]
}
