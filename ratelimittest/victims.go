package ratelimittest

import (
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
)

// Every returns a function for When that chooses each nth request. If n is 1, it chooses all requests; if n
// is 0 or negative, none. The returned function is safe for concurrent use.
func Every(n int) func(*http.Request) bool {
	var count atomic.Int64
	return func(*http.Request) bool {
		return n > 0 && count.Add(1)%int64(n) == 0
	}
}

// Chance returns a function for When that chooses each request with probability p. 0 or negative: none; 1 or
// more: all. The choice is drawn from rng, so a seed repeats it if the requests come in the same order. The
// returned function is safe for concurrent use, but rng must not be used elsewhere.
func Chance(rng *rand.Rand, p float64) func(*http.Request) bool {
	var mu sync.Mutex
	return func(*http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		return rng.Float64() < p
	}
}
