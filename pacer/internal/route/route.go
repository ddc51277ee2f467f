// Package route learns which limits a kind of request, a route, uses: those that its responses report. If there are
// other routes, or it is the route's first response, one response with other limits proves that the missing ones do not
// apply. Otherwise it takes three responses in a row.
//
// An example: "core" and "search" are known, and a response to /items reports only "core". Then "search" no longer
// applies to /items. If there were only one route, or the response reported no limit, "search" would apply until three
// responses in a row have left it out.
package route

import "math/bits"

// Most is the largest number of routes in one partition.
const Most = 64

// silentResponses in a row without a limit exempt from it. More: obeys what is gone. Less: forgets what is rare.
const silentResponses = 3

// A Set is a set of limits of one partition, by their places.
type Set uint32

// Meets reports whether both sets have a limit in common.
func (s Set) Meets(t Set) bool { return s&t != 0 }

// Of returns the set of the limit at a place.
func Of(place int) Set { return 1 << place }

// First returns the place of the set's first limit. The set must not be empty.
func (s Set) First() int { return bits.TrailingZeros32(uint32(s)) }

// Rest returns the set without its first limit.
func (s Set) Rest() Set { return s & (s - 1) }

// A Route stores which limits do not apply to one kind of request. The zero value is exempt from none.
type Route struct {
	Exempt      Set   // limits that do not apply to the route
	recent      Set   // limits that the last responses reported
	silent      uint8 // number of these responses, each of which left out some limits that apply
	Fresh       bool  // no response yet: which limits apply is unknown
	InFlight    bool  // a request was sent, but has no response yet
	HasReported bool  // a response has reported limits: new limits of other routes do not apply
	Mixed       bool  // the route may contain several kinds of requests
}

// Observe updates the route with a response that reports some limits. isNews: the limits that are missing count as
// evidence, too: the absence of those in sure, in a row of responses only of those in droppable. alone: there is no other
// route.
func (r *Route) Observe(reported, sure, droppable Set, isNews, alone bool) {
	r.Exempt &^= reported
	switch absent := sure &^ r.Exempt &^ reported; {
	case !isNews:
	case absent == 0:
		r.recent, r.silent = 0, 0
	case reported != 0 && (r.Fresh || !alone && !r.Mixed):
		r.Exempt |= absent
	default:
		r.recent |= reported
		if r.silent++; r.silent == silentResponses {
			r.Exempt |= absent & droppable &^ r.recent
			r.recent, r.silent = 0, 0
		}
	}
	r.Fresh, r.HasReported = false, r.HasReported || reported != 0
}
