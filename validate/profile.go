package validate

import (
	"math"
	"net/http"
	"strings"
	"time"
)

// A Profile is what the documentation of a service tells and its header fields leave
// out. It applies to the responses of one host and those below it, and never
// contradicts what a response tells. Few services need one: all that fields say
// themselves is read without. A Profile may be used concurrently, and must not be
// changed meanwhile.
type Profile struct {
	// Host is a domain name, such as "github.com": of that host and of all below it,
	// as api.github.com, on any port. It is compared without regard to case, with the host
	// of the URL of the response's Request. "" is no host.
	Host string

	// Path is the beginning of the paths that it is for: "/v1" is for /v10 too, "/v1/" is
	// not. "" is all.
	Path string

	// ResetUnit is what a number in a -Reset field counts that is too small for a point in
	// time. 0 and less mean seconds, as nearly everybody means. -Reset-After, Retry-After
	// and RateLimit are in seconds for all.
	ResetUnit time.Duration

	// Windows are the lengths of the windows that the fields do not tell: of the first
	// limit that a field lists (X-RateLimit-Limit: 600,30000), the second and so on. 0 and
	// less mean that it is not known. One that would end before the reset that is told is
	// not that limit's. RateLimit has RateLimit-Policy for this.
	Windows []time.Duration

	// Aligned means that Windows begin at multiples of their length, so that it is known
	// when they end: quarters of an hour with the hour, days at midnight UTC, weeks on
	// Monday (see [time.Time.Truncate]).
	Aligned bool

	// Statuses are those with which the service refuses a request because of a limit,
	// besides those that Reading.Throttled names. Those below 400 are no refusals.
	Statuses []int

	// Proofs tell refusals from other responses by their bodies: any one is enough. A text
	// should not be one that a request could contain and an error repeat. So is
	// a limit of which nothing remains, where there is a proof for the status.
	Proofs []Proof

	// MinWait is how long to wait after a refusal without Retry-After, if no limit is told
	// of which nothing remains; Bounds.MaxReset at most. 0 and less mean that nothing is
	// documented.
	MinWait time.Duration

	// PolicyField is the field of a refusal that names the policy which it is because of;
	// "" if there is none. A limit without a name of which nothing remains gets that name;
	// if there is none, the policy is one more limit, of which nothing remains.
	PolicyField string
}

// A Proof is a text that the beginning of a body has if a response of that status
// refuses the request because of a limit.
type Proof struct {
	Status int    // 400 or more
	Text   string // compared byte by byte; "" proves nothing
}

// documented sets p, which is zero, to the built-in profile of a domain, what the service documents, and
// of those below it; to none if there is none.
func (p *Profile) documented(domain string, isError bool) {
	const minute, day = time.Minute, 24 * time.Hour
	switch domain {
	case "schibsted.com":
		p.Host, p.Path, p.ResetUnit = "api.schibsted.com", "/prisjakt/", time.Millisecond
	case "strava.com":
		// Pairs, for a quarter of an hour and for a day.
		p.Host, p.Windows, p.Aligned = domain, []time.Duration{15 * minute, day}, true
	case "reddit.com":
		p.Host, p.Windows = domain, []time.Duration{10 * minute}
	default:
		if isError {
			p.documentedRefusals(domain)
		}
	}
}

// documentedRefusals is documented for what is about refusals alone. No other response has to pay for it.
func (p *Profile) documentedRefusals(domain string) {
	switch p.Host = domain; domain {
	case "github.com":
		// Secondary limits: the message names them, Retry-After comes now and then, and is
		// a minute where it is missing, while x-ratelimit-remaining stays positive.
		p.MinWait, p.Proofs = time.Minute, []Proof{{http.StatusForbidden, "exceeded a secondary rate limit"}}
	case "atlassian.net":
		p.PolicyField = "RateLimit-Reason" // X-RateLimit-* is about another of its limits
	case "linear.app":
		p.Proofs = []Proof{{http.StatusBadRequest, `"RATELIMITED"`}} // GraphQL's extensions.code; in the user's own words the quotes would be escaped
	case "salesforce.com", "force.com":
		p.Proofs = []Proof{{http.StatusForbidden, `"REQUEST_LIMIT_EXCEEDED"`}}
	case "binance.com":
		// 418 bans an address that went on after 429, for two minutes or more.
		p.Statuses, p.MinWait = []int{http.StatusTeapot}, 2*time.Minute
	case "notion.com", "anthropic.com":
		p.Statuses = []int{529} // overloaded
	default:
		p.Host = ""
	}
}

// find sets p, which is zero, to the first profile of own for the response's host, else to the built-in one,
// if there is any.
func (p *Profile) find(resp *http.Response, own []Profile) {
	if resp.Request == nil || resp.Request.URL == nil {
		return
	}
	u := resp.Request.URL
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	for i := range own {
		if own[i].isFor(host, u.Path) {
			*p = own[i]
			return
		}
	}
	top := max(strings.LastIndexByte(host, '.'), 0)
	domain := host[strings.LastIndexByte(host[:top], '.')+1:]
	if p.documented(domain, resp.StatusCode >= http.StatusBadRequest); p.Host != "" && !p.isFor(host, u.Path) {
		*p = Profile{}
	}
}

// isFor reports whether host is the profile's, or below it, and the path is one of its.
func (p *Profile) isFor(host, path string) bool {
	above := len(host) - len(p.Host)
	if p.Host == "" || above < 0 || !strings.EqualFold(host[above:], p.Host) || !strings.HasPrefix(path, p.Path) {
		return false
	}
	isName := !strings.Contains(host, ":") // IPv6 has zones, which may be called like domains
	return above == 0 || isName && host[above-1] == '.'
}

// resetDelay turns a number of seconds into one of ResetUnit, saturated.
func (p *Profile) resetDelay(seconds time.Duration) time.Duration {
	if p.ResetUnit <= 0 {
		return seconds
	}
	d := float64(seconds) * p.ResetUnit.Seconds()
	if d >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(d)
}

// window is the documented length of the nth window of a field; Unknown if none is.
func (p *Profile) window(nth int) time.Duration {
	if nth >= len(p.Windows) || p.Windows[nth] <= 0 {
		return Unknown
	}
	return p.Windows[nth]
}
