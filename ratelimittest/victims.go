package ratelimittest

import (
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
)

// Every returns a function for When that chooses the nth request that it is asked
// about, the 2nth and so on. 1: all. 0 or negative: none. It is safe for
// concurrent use.
func Every(n int) func(*http.Request) bool {
	var count atomic.Int64
	return func(*http.Request) bool {
		return n > 0 && count.Add(1)%int64(n) == 0
	}
}

// Chance returns a function for When that chooses each request with probability
// p, drawn from rng, so that a seed chooses the same ones again if they come in
// the same order. 0 or negative: none; 1 or more: all. It is safe for concurrent
// use, but rng must not be used elsewhere.
func Chance(rng *rand.Rand, p float64) func(*http.Request) bool {
	var mu sync.Mutex
	return func(*http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		return rng.Float64() < p
	}
}
