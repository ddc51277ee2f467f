package sdktest

import (
	"net/http"
	"time"

	"github.com/headway-go/headway/ratelimittest"
)

// A TokenLimit is an API that limits requests, and tokens. Its limits report when all of their quotas are
// available again.
type TokenLimit struct {
	Requests, Tokens int64 // per window
	Window           time.Duration
	Unit             string // of tokens
	Cost             int64  // tokens of each call
	Dialect          ratelimittest.Dialect
	Refusal, Answer  http.Handler
}

// Set makes h that API. Set returns the handler of the limit on tokens, whose Log has the requests that the limit
// on requests has allowed.
func (l TokenLimit) Set(h *ratelimittest.Handler) *ratelimittest.Handler {
	bucket := func(quota int64, unit string) ratelimittest.Limiter {
		return &ratelimittest.TokenBucket{
			Policy:    ratelimittest.Policy{Quota: quota, Window: l.Window, Unit: unit},
			FullReset: true,
		}
	}
	byTokens := &ratelimittest.Handler{Limiter: bucket(l.Tokens, l.Unit), Dialect: l.Dialect}
	byTokens.Cost = func(*http.Request) int64 { return l.Cost }
	byTokens.Refuse, byTokens.Next = l.Refusal, l.Answer
	h.Limiter, h.Dialect, h.Refuse, h.Next = bucket(l.Requests, ""), l.Dialect, l.Refusal, byTokens
	return byTokens
}
