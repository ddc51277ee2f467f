package validate

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/parse"
)

// A Profile has what a service documents and its header fields leave out. It applies to the responses of
// one host and its subdomains. What a response reports counts first, but for Field.Unit and HoldsNothing. Few services
// need one. A Profile may be used concurrently, and must not be changed while it is in use.
type Profile struct {
	// Host is a domain name, such as "github.com". It matches this host and its
	// subdomains, such as api.github.com, on any port. It is compared without regard
	// to case with the host of the URL of the response's Request. "" matches no host.
	Host string `json:"host"`

	// Source says where the service documents this, such as a URL. It has no effect.
	Source string `json:"source,omitempty"`

	// Path is the prefix of the URL paths to which the profile applies: "/v1" matches
	// /v10, "/v1/" does not. "" matches all paths.
	Path string `json:"path,omitempty"`

	// ResetUnit is the unit of a number in a -Reset field that is not an epoch. 0 and less mean seconds, the usual unit.
	// It does not apply to RateLimit, Retry-After and -Reset-After, which are in seconds.
	ResetUnit time.Duration `json:"reset-unit,omitzero"`

	// Windows has the lengths of windows that the fields do not report: of the first limit in a field
	// (X-RateLimit-Limit: 600,30000), of the second and so on. 0 and less mean that the length is not known. A length is
	// not used if the reported reset is after the end of such a window. RateLimit has RateLimit-Policy for this.
	Windows []time.Duration `json:"windows,omitempty"`

	// Aligned means that Windows begin at multiples of their length, so that their
	// ends are known (see [time.Time.Truncate]). Windows of 15 minutes begin at :00,
	// :15, :30 and :45. Days begin at midnight UTC, and weeks on Monday.
	Aligned bool `json:"aligned,omitempty"`

	// Statuses has the status codes with which the service refuses a request because of a limit, in addition to the ones
	// of Reading.Verdict. Codes below 400 are ignored.
	Statuses []int `json:"statuses,omitempty"`

	// Signs show what a refusal means, or that a response with another status is one. If a sign has the status of a response
	// and looks at its body, a limit that is used up shows a refusal as well. If one says that waiting helps, the signs of all
	// hosts cannot say that it does not.
	Signs []Sign `json:"signs,omitempty"`

	// MinWait is how long to wait after a refusal without Retry-After, if the response reports no limit that is used up.
	// It is clamped to Bounds.MaxReset. 0 and less mean that no wait is documented.
	MinWait time.Duration `json:"min-wait,omitzero"`

	// PolicyField is the name of the field that names the policy which caused a refusal; "" if there is none. If the
	// response reports a limit that is used up and has no name, that limit gets the name. Otherwise the policy is added
	// as a limit that is used up.
	PolicyField string `json:"policy-field,omitempty"`

	// PerRoute means that a refusal is about the requests of one route: the method and the path without identifiers. Other
	// routes go on. It does not count if the refusal reports a limit that is used up, or has a status of 500 or more. Its limit has the name in PolicyField, else "route".
	PerRoute bool `json:"per-route,omitempty"`

	// Fields has what header fields of the service report that headway does not know, or does
	// not know enough of. Fields of one Policy are one limit.
	Fields []Field `json:"fields,omitempty"`

	// Limits has the documented limits of a service that reports none. A response that reports no limit by its fields
	// then counts as one that reports these, with Remaining Unknown.
	Limits []Limit `json:"limits,omitempty"`
}

// A Limit is a limit that a service documents.
type Limit struct {
	Policy string        `json:"policy,omitempty"` // its name; "" means the Window, as in "1m0s"
	Unit   limits.Unit   `json:"unit,omitempty"`   // what Quota counts; "" means requests
	Quota  int64         `json:"quota"`            // units per Window; if either is 0 or less, the limit is ignored
	Window time.Duration `json:"window"`
}

// none is the profile of a host without one.
//
//nolint:gochecknoglobals // it never changes
var none Profile

// findProfile returns the first profile of own that applies to the response, else the built-in one; an empty one if there is
// none.
func findProfile(resp *http.Response, own []Profile) *Profile {
	if resp == nil || resp.Request == nil || resp.Request.URL == nil {
		return &none
	}
	u := resp.Request.URL
	for _, all := range [...][]Profile{own, builtIn()[domainOf(u.Host)]} {
		for i := range all {
			if all[i].isFor(u) {
				return &all[i]
			}
		}
	}
	return &none
}

// addsLimits reports whether a response without a field that headway knows may have limits by the profile.
func (p *Profile) addsLimits() bool { return len(p.Fields) > 0 || len(p.Limits) > 0 }

// isFor reports whether the profile applies to a URL.
func (p *Profile) isFor(u *url.URL) bool {
	host := strings.TrimSuffix(u.Hostname(), ".")
	above := len(host) - len(p.Host)
	if p.Host == "" || above < 0 || !strings.EqualFold(host[above:], p.Host) || !strings.HasPrefix(u.Path, p.Path) {
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
	return time.Duration(min(float64(seconds)*p.ResetUnit.Seconds(), 1<<62))
}

// addDocumented adds the documented window, and the reset of an aligned window, to the limit of a row. A reset after the
// end of the window shows that the limit has another window.
func (r *reader) addDocumented(row *parse.Row, l *limits.Reported) {
	if row.Family <= limits.DialectDraft07 || l.Window != Unknown || l.Quota == Unknown && l.Remaining == Unknown {
		return
	}
	if all, nth := r.profile.Windows, row.Position; nth < len(all) && all[nth] > 0 && (within(l.Reset, all[nth]) || r.isDoubtful(row, l)) {
		l.Window = all[nth]
	}
	r.align(l)
}

// align sets the reset of a limit with a documented window, if windows begin at multiples of their length.
func (r *reader) align(l *limits.Reported) {
	if !r.profile.Aligned || l.Window == Unknown || l.Reset != Unknown {
		return
	}
	if now := r.clock.receiptTime(); !now.IsZero() {
		l.Reset = now.UTC().Truncate(l.Window).Add(l.Window).Sub(now)
	}
}

// name returns the value of a field if it can be the name of a policy, else "".
func (r *reader) name(field string) string {
	var row parse.Row
	_ = row.Read("name", r.resp.Header.Get(field), 0) // what is malformed is no name
	return limits.ShortName(row.Name)
}
