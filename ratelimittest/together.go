package ratelimittest

import (
	"math/rand/v2"
	"net/http"
	"time"
)

// Together returns a Dialect that writes the fields of all ds, as Zendesk and Kong do. A field that several
// of them write, or that is already there, gets several lines. Together() is Silent.
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

// OnlyWhen returns a Dialect that calls d for the decisions for which when returns true, and writes nothing
// for others. Together AI reports its reset only with refusals. SharePoint reports its limits only after four
// fifths of the quota are used. when is called concurrently.
func OnlyWhen(d Dialect, when func(Decision) bool) Dialect {
	return func(h http.Header, now time.Time, decision Decision) {
		if when(decision) {
			d(h, now, decision)
		}
	}
}

// EveryNth returns a Dialect that calls rare for each nth response, and usual for the others, over all
// clients. If n is 0 or negative, it always calls usual. Use it for responses that bypass the server that
// counts, such as refusals by GitLab's edge servers:
//
//	EveryNth(10, Silent, Trio)
func EveryNth(n int, rare, usual Dialect) Dialect {
	return either(Every(n), rare, usual)
}

// AtRandom returns a Dialect that calls rare for a response with probability p, and usual for the others. 0
// or negative: always usual; 1 or more: always rare. The choice is drawn from rng, so a seed repeats it if
// the responses come in the same order. rng must not be used elsewhere.
func AtRandom(rng *rand.Rand, p float64, rare, usual Dialect) Dialect {
	return either(Chance(rng, p), rare, usual)
}

// either calls isRare once per response, without a request.
func either(isRare func(*http.Request) bool, rare, usual Dialect) Dialect {
	return func(h http.Header, now time.Time, decision Decision) {
		if isRare(nil) {
			rare(h, now, decision)
		} else {
			usual(h, now, decision)
		}
	}
}
