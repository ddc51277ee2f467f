package ratelimittest

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// InBody returns a Handler whose responses report the limit in their bodies and nowhere else. body is CostBody,
// PointsBody, RetryAfterBody, or a function of the test's own that uses DecisionOf. For a Scenario, set Dialect
// and RetryAfter to Silent, and Next and Refuse to http.HandlerFunc(body).
func InBody(l Limiter, body http.HandlerFunc) *Handler {
	return &Handler{Limiter: l, Dialect: Silent, RetryAfter: Silent, Next: body, Refuse: body}
}

type decidedKey struct{}

// decided is what the context of a request has for DecisionOf.
type decided struct {
	Decision

	cost int64
}

func (d *decided) in(r *http.Request) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), decidedKey{}, d))
}

// DecisionOf returns what a Handler has decided about the request that it serves, for its Next, Refuse and
// Banned. cost is what the request costs. ok is false if no Handler serves r. If several do, the decision is
// that of the one which r has reached last.
func DecisionOf(r *http.Request) (d Decision, cost int64, ok bool) {
	in, ok := r.Context().Value(decidedKey{}).(*decided)
	if !ok {
		return Decision{Allowed: true}, 0, false
	}
	return in.Decision, in.cost, true
}

// CostBody responds as Shopify's GraphQL API does: with the cost of the query and a bucket of points. A refusal
// has status 200 as well, and neither data nor an actual cost:
//
//	{"data":{},"extensions":{"cost":{"requestedQueryCost":10,"actualQueryCost":10,
//	 "throttleStatus":{"maximumAvailable":1000,"currentlyAvailable":990,"restoreRate":50}}}}
//
//	{"errors":[{"message":"Throttled","extensions":{"code":"THROTTLED"}}],"extensions":{"cost":…}}
//
// The tightest limit counts. Its window is the time in which an empty bucket fills up, so a [TokenBucket] suits
// it, or a [Linear].
func CostBody(w http.ResponseWriter, r *http.Request) {
	d, cost, _ := DecisionOf(r)
	result, actual := `"data":{}`, count(cost)
	if !d.Allowed {
		result, actual = `"errors":[{"message":"Throttled","extensions":{"code":"THROTTLED"}}]`, "null"
	}
	status := "null"
	if l, ok := d.tightest(); ok && l.Window > 0 {
		status = fmt.Sprintf(`{"maximumAvailable":%d,"currentlyAvailable":%d,"restoreRate":%s}`,
			l.Quota, l.Remaining, strconv.FormatFloat(float64(l.Quota)/l.Window.Seconds(), 'f', -1, 64))
	}
	writeJSON(w, http.StatusOK, fmt.Sprintf(
		`{%s,"extensions":{"cost":{"requestedQueryCost":%d,"actualQueryCost":%s,"throttleStatus":%s}}}`, result, cost, actual, status))
}

// PointsBody responds as GitHub's GraphQL API does to a query for rateLimit: with the points of an hour. A
// refusal has status 200 as well:
//
//	{"data":{"rateLimit":{"limit":5000,"cost":1,"remaining":4999,"resetAt":"2026-01-05T01:00:00Z"}}}
//
//	{"errors":[{"type":"RATE_LIMITED","message":"API rate limit exceeded"}]}
//
// The tightest limit counts. resetAt is rounded up to a second.
func PointsBody(w http.ResponseWriter, r *http.Request) {
	d, cost, _ := DecisionOf(r)
	limit := "null"
	if l, ok := d.tightest(); ok {
		resetAt := roundUp(clock().Add(max(l.Reset, 0)), time.Second).UTC().Format(time.RFC3339)
		limit = fmt.Sprintf(`{"limit":%d,"cost":%d,"remaining":%d,"resetAt":%q}`, l.Quota, cost, l.Remaining, resetAt)
	}
	if d.Allowed {
		writeJSON(w, http.StatusOK, `{"data":{"rateLimit":`+limit+`}}`)
		return
	}
	writeJSON(w, http.StatusOK, `{"errors":[{"type":"RATE_LIMITED","message":"API rate limit exceeded"}]}`)
}

// RetryAfterBody responds as Telegram's Bot API does: only a refusal says how long to wait, in its body. Its
// status is 429, and it has no Retry-After:
//
//	{"ok":true,"result":true}
//
//	{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 5","parameters":{"retry_after":5}}
func RetryAfterBody(w http.ResponseWriter, r *http.Request) {
	d, _, _ := DecisionOf(r)
	if d.Allowed {
		writeJSON(w, http.StatusOK, `{"ok":true,"result":true}`)
		return
	}
	wait := seconds(max(d.RetryAfter, 0))
	writeJSON(w, http.StatusTooManyRequests, fmt.Sprintf(
		`{"ok":false,"error_code":429,"description":"Too Many Requests: retry after %s","parameters":{"retry_after":%s}}`, wait, wait))
}

func writeJSON(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text)) // the client may have gone
}
