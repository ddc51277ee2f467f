package validate

import (
	"bytes"
	"net/http"
	"slices"
	"time"

	"github.com/headway-go/headway/limits"
)

// throttled reports whether a response refuses the request because of a limit. A 403 is mostly about permission, so it
// needs evidence. A Retry-After of 0 is no evidence, as some servers send it with every response while quota is left.
func throttled(status int, retryAfter time.Duration, reported []limits.Reported) bool {
	switch status {
	case http.StatusTooManyRequests:
		return true
	case http.StatusServiceUnavailable:
		return retryAfter != Unknown
	case http.StatusForbidden:
		return retryAfter > 0 || exhausted(reported)
	}
	return false
}

// exhausted reports whether a limit is used up. A limit of concurrent requests does not count: this request
// may have the last place itself.
func exhausted(reported []limits.Reported) bool {
	for i := range reported {
		if reported[i].Remaining == 0 && reported[i].Unit != limits.ConcurrentRequests {
			return true
		}
	}
	return false
}

// isRefusal reports whether the profile takes the status as a refusal.
func (r *reader) isRefusal(status int) bool {
	return status >= http.StatusBadRequest && slices.Contains(r.profile.Statuses, status)
}

// refusal applies the parts of the profile that are about refusals.
func (r *reader) refusal(status int) {
	p := r.profile
	r.prove(status, p.Proofs)
	r.minWait, r.cause = min(p.MinWait, r.bounds.MaxReset), r.name(p.PolicyField)
	if r.Throttled {
		r.completeRefusal()
	}
}

// prove sets the texts that the body of a refusal would have. A limit that is used up is proof without the body.
func (r *reader) prove(status int, proofs []Proof) {
	for _, proof := range proofs {
		switch {
		case r.Throttled || proof.Status != status || proof.Text == "":
		case exhausted(r.Limits):
			r.Throttled = true
		default:
			r.proofs = append(r.proofs, proof.Text)
		}
	}
	r.Unproven = len(r.proofs) > 0
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
		Policy: policy, Dialect: limits.DialectNamed, Unit: limits.Requests,
		Quota: Unknown, Remaining: 0, Window: Unknown, Reset: r.RetryAfter,
	})
}
