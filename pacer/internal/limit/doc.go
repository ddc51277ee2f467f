// Package limit is the kernel of the pacer: one limit of a server, as one client knows it. It knows no requests, routes,
// units or refusals' holds.
//
// The one idea: which algorithm a server uses is not reported, so the limit has four candidates, a window, a bucket, a
// sliding counter and a log. A candidate is nothing but a supply curve: a list of grants, each of which says between which
// times so many units come back. All else follows from the curve, for all candidates alike:
//
//   - the stock: how many units are there at a time (what was left, less what was sent since, plus what has come back),
//   - when a request may go: as soon as the stock is enough for it,
//   - the pace: the fastest constant rate that never runs dry within a window, and not far above q/w,
//   - the forecast: which r the next reading should report.
//
// An example with q = 100 and w = 50 s. A reading reports r = 40, and that the window ends in 29 to 30 s. If it is a
// window, 100 units come at once then. 41 units in 29 s are a pace of 1.41 per second: the last one may use the next
// window. If it is a bucket, two units come each second, so the pace is (40 + 100)/50 = 2.8 per second.
//
// The candidate whose forecasts have been right is believed (belief.go). Units that it cannot explain are others' use,
// which lowers this client's share (share.go). If the server does not report w, the limit measures it (length.go,
// refill.go). A fleet may allot a part of the limit to this client (part.go).
//
// The last response alone decides q, w, r, and the end of the window. All else fades. Scores lose a sixteenth with each
// reading. The share is 0.97 after three windows in which nobody else uses any. The largest r counts for three to six
// windows. A window that is not reported falls by 20 % with each window, or while r stays as large as it gets.
package limit
