// Package route learns which limits a kind of request, a route, uses: those that its responses report. If there are
// other routes, or it is the route's first response, one response with other limits proves that the missing ones do not
// apply. Otherwise it takes three responses in a row.
//
// An example: "core" and "search" are known, and a response to /items reports only "core". Then "search" no longer
// applies to /items. If there were only one route, or the response reported no limit, "search" would apply until three
// responses in a row have left it out.
package route
