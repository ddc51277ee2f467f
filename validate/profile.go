package validate

import (
	"math"
	"net/http"
	"strings"
	"time"
)

// A Profile has what a service documents and its header fields leave out. It applies to the responses of
// one host and its subdomains. It never overrides what a response reports. Few services need one. A
// Profile may be used concurrently, and must not be changed while it is in use.
type Profile struct {
	// Host is a domain name, such as "github.com". It matches this host and its
	// subdomains, such as api.github.com, on any port. It is compared without regard
	// to case with the host of the URL of the response's Request. "" matches no host.
	Host string

	// Path is the prefix of the URL paths to which the profile applies: "/v1" matches
	// /v10, "/v1/" does not. "" matches all paths.
	Path string

	// ResetUnit is the unit of a number in a -Reset field that is not an epoch. 0 and
	// less mean seconds, the usual unit. It does not apply to -Reset-After, Retry-After
	// and RateLimit, which are always in seconds.
	ResetUnit time.Duration

	// Windows has the lengths of windows that the fields do not report: of the first
	// limit in a field (X-RateLimit-Limit: 600,30000), of the second and so on. 0 and
	// less mean that the length is not known. A length is not used if the reported
	// reset is after the end of such a window. RateLimit has RateLimit-Policy for this.
	Windows []time.Duration

	// Aligned means that Windows begin at multiples of their length, so that their
	// ends are known (see [time.Time.Truncate]). Windows of 15 minutes begin at :00,
	// :15, :30 and :45. Days begin at midnight UTC, and weeks on Monday.
	Aligned bool

	// Statuses has the status codes with which the service refuses a request because
	// of a limit, in addition to the ones of Reading.Throttled. Codes below 400 are
	// ignored.
	Statuses []int

	// Proofs distinguish refusals from other responses with the same status by their
	// bodies: one proof is enough. Choose a text that an error does not quote from the
	// request. If a proof has the status of a response, a limit that is used up is
	// enough as well.
	Proofs []Proof

	// MinWait is how long to wait after a refusal without Retry-After, if the response
	// reports no limit that is used up. It is clamped to Bounds.MaxReset. 0 and less
	// mean that no wait is documented.
	MinWait time.Duration

	// PolicyField is the name of the field that names the policy which caused a refusal;
	// "" if there is none. If the response reports a limit that is used up and has no
	// name, that limit gets the name. Otherwise the policy is added as a limit that is
	// used up.
	PolicyField string
}

// A Proof is a text in the body of a response that shows that the request was refused because of a limit.
type Proof struct {
	Status int    // of the response; 400 or more
	Text   string // in the beginning of the body, compared byte by byte; "" is ignored
}

// documented sets p, which is zero, to the built-in profile of a domain and its subdomains. It leaves p
// zero if there is none.
func (p *Profile) documented(domain string, isError bool) {
	const minute, day = time.Minute, 24 * time.Hour
	switch domain {
	case "schibsted.com":
		p.Host, p.Path, p.ResetUnit = "api.schibsted.com", "/prisjakt/", time.Millisecond
	case "blockscout.com", "mimecast.com":
		p.Host, p.ResetUnit = domain, time.Millisecond
	case "strava.com":
		// The fields have pairs of numbers: for a quarter of an hour and for a day.
		p.Host, p.Windows, p.Aligned = domain, []time.Duration{15 * minute, day}, true
	case "reddit.com":
		p.Host, p.Windows = domain, []time.Duration{10 * minute}
	default:
		if isError {
			p.documentedRefusals(domain)
		}
	}
}

// documentedRefusals is documented for profiles that are about refusals alone. It is a separate function
// so that other responses do not pay for it.
func (p *Profile) documentedRefusals(domain string) {
	switch p.Host = domain; domain {
	case "github.com":
		// The message names the secondary limits. GitHub sends Retry-After sometimes, and documents a
		// minute if it is missing. x-ratelimit-remaining stays positive.
		p.MinWait, p.Proofs = time.Minute, []Proof{{http.StatusForbidden, "exceeded a secondary rate limit"}}
	case "atlassian.net":
		p.PolicyField = "RateLimit-Reason" // X-RateLimit-* reports another limit
	case "linear.app":
		// The text is GraphQL's extensions.code. A text of the user's would have the quotes escaped.
		p.Proofs = []Proof{{http.StatusBadRequest, `"RATELIMITED"`}}
	case "salesforce.com", "force.com":
		p.Proofs = []Proof{{http.StatusForbidden, `"REQUEST_LIMIT_EXCEEDED"`}}
	case "binance.com":
		// 418 bans an address that continued after a 429, for two minutes or more.
		p.Statuses, p.MinWait = []int{http.StatusTeapot}, 2*time.Minute
	case "notion.com", "anthropic.com":
		p.Statuses = []int{529} // the service is overloaded
	default:
		p.Host = ""
	}
}

// find sets p, which is zero, to the first profile of own that matches, else to the built-in one if there
// is one.
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

// isFor reports whether the profile applies to host and path.
func (p *Profile) isFor(host, path string) bool {
	above := len(host) - len(p.Host)
	if p.Host == "" || above < 0 || !strings.EqualFold(host[above:], p.Host) || !strings.HasPrefix(path, p.Path) {
		return false
	}
	isName := !strings.Contains(host, ":") // the zone of an IPv6 address may look like a domain
	return above == 0 || isName && host[above-1] == '.'
}

// resetDelay converts a number of seconds into the same number of ResetUnit, saturated.
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

// window returns the documented length of the nth window of a field; Unknown if there is none.
func (p *Profile) window(nth int) time.Duration {
	if nth >= len(p.Windows) || p.Windows[nth] <= 0 {
		return Unknown
	}
	return p.Windows[nth]
}
