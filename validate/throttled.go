package validate

import (
	"bytes"
	"net/http"
	"slices"

	"github.com/headway-go/headway/limits"
)

// isRefusal reports whether a response with these limits refuses the request because of a limit, by itself or by the profile.
// A 403 is mostly about permission, so it needs evidence. A Retry-After of 0 is no evidence, as some servers send it with
// every response while quota is left.
func (r *reader) isRefusal(reported []limits.Reported) bool {
	status := r.resp.StatusCode
	switch {
	case status == http.StatusTooManyRequests,
		status == http.StatusServiceUnavailable && r.RetryAfter != Unknown,
		status == http.StatusForbidden && (r.RetryAfter > 0 || exhausted(reported)):
		return true
	}
	return status >= http.StatusBadRequest && slices.Contains(r.profile.Statuses, status)
}

// exhausted reports whether a limit is used up. A limit of concurrent requests does not count: this request
// may have the last place itself.
func exhausted(reported []limits.Reported) bool {
	return slices.ContainsFunc(reported, func(l limits.Reported) bool {
		return l.Remaining == 0 && l.Unit != limits.ConcurrentRequests
	})
}

// refusal applies the parts of the profile that are about refusals. It sets the texts that the body of a refusal would have.
// A limit that is used up is proof without the body.
func (r *reader) refusal(status int) {
	r.minWait, r.cause = min(r.profile.MinWait, r.bounds.MaxReset), r.name(r.profile.PolicyField)
	for _, proof := range r.profile.Proofs {
		if proof.Status == status && proof.Text != "" && !r.Throttled {
			r.Throttled = exhausted(r.Limits)
			r.proofs = append(r.proofs, proof.Text)
		}
	}
	r.Unproven = len(r.proofs) > 0 && !r.Throttled
	if r.Throttled {
		r.completeRefusal()
	}
}

// Prove looks for the profile's proofs in the beginning of the body of an Unproven response. If the body
// has one, the response becomes Throttled. Prove returns Throttled. It must not be called concurrently.
func (r *Reading) Prove(body []byte) bool {
	isIn := func(text string) bool { return bytes.Contains(body, []byte(text)) }
	if !r.Throttled && slices.ContainsFunc(r.proofs, isIn) {
		r.Throttled = true
		r.completeRefusal()
	}
	return r.Throttled
}

// completeRefusal sets the wait after a refusal that reports none, and marks the policy that caused the refusal as used up,
// unless the response reports it.
func (r *Reading) completeRefusal() {
	if r.RetryAfter == Unknown && r.minWait > 0 && !exhausted(r.Limits) {
		r.RetryAfter = r.minWait
	}
	if r.cause == "" || r.find(r.cause, "") != nil {
		return
	}
	if l := r.find("", ""); l != nil && l.Remaining == 0 {
		l.Policy = r.cause
		return
	}
	r.Limits = append(r.Limits, limits.Reported{
		Policy: r.cause, Dialect: limits.DialectNamed, Unit: limits.Requests,
		Quota: Unknown, Remaining: 0, Window: Unknown, Reset: r.RetryAfter,
	})
}
