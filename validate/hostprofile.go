package validate

import (
	"strings"
	"unicode"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/parse"
)

// hostProfile is the profile of the response's host. It is looked for only when
// something is missing that a profile may tell, which is rare.
func (r *reader) hostProfile() *Profile {
	if !r.isRead {
		r.profile.find(r.resp, r.own)
		r.isRead = true
	}
	return &r.profile
}

// addDocumented adds what the profile tells of the nth limit that one field lists. A reset
// beyond the window shows that the window is another one.
func (r *reader) addDocumented(l *limits.Told, nth int) {
	if l.Window != Unknown || l.Quota == Unknown && l.Remaining == Unknown {
		return
	}
	p := r.hostProfile()
	if w := p.window(nth); within(l.Reset, w) {
		l.Window = w
	}
	if !p.Aligned || l.Window == Unknown || l.Reset != Unknown {
		return
	}
	if now := r.clock.moment(); !now.IsZero() {
		l.Reset = now.UTC().Truncate(l.Window).Add(l.Window).Sub(now)
	}
}

// name returns what a field names; "" if that is nothing that could be a name.
func (r *reader) name(field string) string {
	name := strings.TrimSpace(r.resp.Header.Get(field))
	if len(name) > parse.MaxText || strings.ContainsFunc(name, unicode.IsControl) {
		return ""
	}
	return name
}

// settle sets how long to wait after a refusal that tells no time, and which policy it
// is because of.
func (r *Reading) settle() {
	if r.RetryAfter == Unknown && r.minWait > 0 && !exhausted(r.Limits) {
		r.RetryAfter = r.minWait
	}
	r.blame(r.blamed)
}

// blame makes the policy one of which nothing remains, unless the response tells of it.
func (r *Reading) blame(policy string) {
	if policy == "" || r.find(policy, "") != nil {
		return
	}
	if l := r.find("", ""); l != nil && l.Remaining == 0 {
		l.Policy = policy
		return
	}
	r.Limits = append(r.Limits, limits.Told{
		Policy: policy, Dialect: limits.DialectNamed, Unit: parse.Requests,
		Quota: Unknown, Remaining: 0, Window: Unknown, Reset: r.RetryAfter,
	})
}
