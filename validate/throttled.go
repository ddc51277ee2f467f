package validate

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/headway-go/headway/limits"
)

// isRefusal reports whether a response with these limits refuses the request because of a limit, by its status and header. A
// 403 is mostly about permission, so it needs evidence. A Retry-After of 0 is no evidence, as some servers send it with
// every response while quota is left. The other statuses also have other meanings, without Retry-After.
func (r *reader) isRefusal(reported []limits.Reported) bool {
	status := r.resp.StatusCode
	switch status {
	case http.StatusTooManyRequests:
		return true
	case http.StatusForbidden:
		if r.RetryAfter > 0 || exhausted(reported) {
			return true
		}
	case http.StatusPaymentRequired, 420, 430, http.StatusServiceUnavailable, 509, 529, 598:
		if r.RetryAfter != Unknown {
			return true
		}
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

// completeRefusal sets the wait after a refusal that reports none, and marks the policy that caused the refusal as used up,
// unless the response reports it.
func (r *reader) completeRefusal() {
	if r.RetryAfter == Unknown && r.minWait > 0 && !exhausted(r.Limits) {
		r.RetryAfter = r.minWait
	}
	if r.profile.PerRoute && r.resp.StatusCode < http.StatusInternalServerError && !exhausted(r.Limits) {
		r.OnlyRoute, r.cause = true, cmp.Or(r.cause, "route")
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
