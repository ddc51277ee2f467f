package ratelimittest

import (
	"math/rand/v2"
	"net/http"
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
	return either(Every(n), rare, usual)
}

// AtRandom is EveryNth by chance: rare for each response with probability p,
// drawn from rng, so that a seed chooses the same ones again if they come in the
// same order, and usual for the others. 0 or negative: always usual; 1 or more:
// always rare. rng must not be used elsewhere.
func AtRandom(rng *rand.Rand, p float64, rare, usual Dialect) Dialect {
	return either(Chance(rng, p), rare, usual)
}

// either asks isRare, which looks at no request, once for each response.
func either(isRare func(*http.Request) bool, rare, usual Dialect) Dialect {
	return func(h http.Header, now time.Time, decision Decision) {
		if isRare(nil) {
			rare(h, now, decision)
		} else {
			usual(h, now, decision)
		}
	}
}
