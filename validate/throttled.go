package validate

import (
	"bytes"
	"net/http"
	"slices"
	"time"

	"github.com/headway-go/headway/limits"
)

// throttled reports whether a response refuses the request because of a limit.
// A 403 is mostly about permission, so it needs proof. A Retry-After of 0 is
// none: there are servers that send it with every response while quota is left.
func throttled(status int, retryAfter time.Duration, told []limits.Told) bool {
	switch status {
	case http.StatusTooManyRequests:
		return true
	case http.StatusServiceUnavailable:
		return retryAfter != Unknown
	case http.StatusForbidden:
		return retryAfter > 0 || exhausted(told)
	}
	return false
}

func exhausted(told []limits.Told) bool {
	for i := range told {
		if told[i].Remaining == 0 && told[i].Unit != limits.ConcurrentRequests { // the last place may be this one's
			return true
		}
	}
	return false
}

// refusedBy reports whether the status alone refuses, by the profile.
func (r *reader) refusedBy(status int) bool {
	return status >= http.StatusBadRequest && slices.Contains(r.hostProfile().Statuses, status)
}

// refusal adds what the profile tells of responses that may be refusals.
func (r *reader) refusal(status int) {
	p := r.hostProfile()
	r.prove(status, p.Proofs)
	r.minWait, r.blamed = min(p.MinWait, r.bounds.MaxReset), r.name(p.PolicyField)
	if r.Throttled {
		r.settle()
	}
}

// prove sets what a body would have to show. A limit of which nothing remains is proof
// enough.
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

// Prove takes in the beginning of the body of a response that is Unproven: if it has the
// text of one of the profile's proofs, the response is Throttled. It reports whether it
// is. It is not to be called concurrently.
func (r *Reading) Prove(body []byte) bool {
	isIn := func(text string) bool { return bytes.Contains(body, []byte(text)) }
	if !r.Throttled && slices.ContainsFunc(r.proofs, isIn) {
		r.Throttled = true
		r.settle()
	}
	return r.Throttled
}
