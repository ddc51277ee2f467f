package validate

import (
	"strings"
	"unicode"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/parse"
)

// addDocumented adds the documented window, and the reset of an aligned window, to the nth limit that a
// field lists. A reset after the end of the window shows that the limit has another window.
func (r *reader) addDocumented(l *limits.Reported, nth int) {
	if l.Window != Unknown || l.Quota == Unknown && l.Remaining == Unknown {
		return
	}
	if w := r.profile.window(nth); within(l.Reset, w) {
		l.Window = w
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
	name := strings.TrimSpace(r.resp.Header.Get(field))
	if len(name) > parse.MaxText || strings.ContainsFunc(name, unicode.IsControl) {
		return ""
	}
	return limits.ShortName(name)
}

// completeRefusal sets the wait after a refusal that reports none, and the policy that caused the refusal.
func (r *Reading) completeRefusal() {
	if r.RetryAfter == Unknown && r.minWait > 0 && !exhausted(r.Limits) {
		r.RetryAfter = r.minWait
	}
	r.setCause(r.cause)
}

// setCause marks the policy as used up, unless the response reports it.
func (r *Reading) setCause(policy string) {
	if policy == "" || r.find(policy, "") != nil {
		return
	}
	if l := r.find("", ""); l != nil && l.Remaining == 0 {
		l.Policy = policy
		return
	}
	r.Limits = append(r.Limits, limits.Reported{
		Policy: policy, Dialect: limits.DialectNamed, Unit: parse.Requests,
		Quota: Unknown, Remaining: 0, Window: Unknown, Reset: r.RetryAfter,
	})
}
