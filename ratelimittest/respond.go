package ratelimittest

import (
	"context"
	"net/http"
	"strings"
	"time"
)

// Respond returns a handler that responds with status and that text. It is for a Handler's Next, Refuse and Banned. The
// text may have the placeholders of Fields, and {cost}, the cost of the request. A missing value becomes null, and so
// does every placeholder if no Handler serves the request. Values are written as they are, so a name of a policy in JSON
// must need no escapes. Text that begins with { or [ is sent as JSON. status must be
// 200 or above. The handler is safe for concurrent use.
//
// Some APIs report their limits in bodies alone. This one does as Telegram's Bot API:
//
//	&Handler{Limiter: l, Dialect: Silent, RetryAfter: Silent,
//		Next:   Respond(200, `{"ok":true,"result":true}`),
//		Refuse: Respond(429, `{"ok":false,"parameters":{"retry_after":{retry-after}}}`)}
func Respond(status int, text string) http.Handler {
	contentType := "text/plain; charset=utf-8"
	if strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
		contentType = "application/json"
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f, _ := r.Context().Value(decidedKey{}).(filling)
		if f.now.IsZero() {
			f.cost = -1
		}
		body, _ := f.fill(text) // with null for what is missing
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body)) // the client may have gone
	})
}

type decidedKey struct{}

// decided returns r with what Respond fills in.
func decided(r *http.Request, now time.Time, d Decision, cost int64) *http.Request {
	f := d.filling(now, false)
	f.cost = cost
	return r.WithContext(context.WithValue(r.Context(), decidedKey{}, f))
}
