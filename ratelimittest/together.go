package ratelimittest

import (
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Together is the dialect of a server that speaks several at once, as Zendesk
// and Kong do. All that they write is added: a field that two of them write, or
// that is there already, has several lines. Without any it is Silent.
func Together(ds ...Dialect) Dialect {
	return func(h http.Header, now time.Time, decision Decision) {
		for _, d := range ds {
			own := make(http.Header)
			d(own, now, decision)
			for name, lines := range own {
				h[name] = append(h[name], lines...)
			}
		}
	}
}

// OnlyWhen is d for the decisions for which when says so, and Silent for others.
// Together AI tells its reset with refusals only, SharePoint its limits from the
// time on when four fifths of the quota are used. when is called concurrently.
func OnlyWhen(d Dialect, when func(Decision) bool) Dialect {
	return func(h http.Header, now time.Time, decision Decision) {
		if when(decision) {
			d(h, now, decision)
		}
	}
}

// EveryNth is rare for the nth response and each nth one after it, and usual for
// those in between, whichever client they go to. 0 or negative: always usual.
// Responses that do not come from the machine that counts, such as those of an
// edge server that refuses on its own at GitLab, look like this:
//
//	EveryNth(10, Silent, Trio)
func EveryNth(n int, rare, usual Dialect) Dialect {
	if n <= 0 {
		return usual
	}
	var responses atomic.Uint64
	return func(h http.Header, now time.Time, decision Decision) {
		if responses.Add(1)%uint64(n) == 0 {
			rare(h, now, decision)
		} else {
			usual(h, now, decision)
		}
	}
}

// AtRandom is EveryNth by chance: rare for a share of the responses, from 0 for
// none to 1 for all, and usual for the others. The same seed makes the same
// choices, response by response.
func AtRandom(share float64, seed uint64, rare, usual Dialect) Dialect {
	var mu sync.Mutex
	random := rand.New(rand.NewPCG(seed, seed))
	return func(h http.Header, now time.Time, decision Decision) {
		mu.Lock()
		isRare := random.Float64() < share
		mu.Unlock()
		if isRare {
			rare(h, now, decision)
		} else {
			usual(h, now, decision)
		}
	}
}
