// Package limit is the kernel of the pacer: one limit of a server, as one client knows it. It knows no requests, routes,
// units or holds. Package pacer tells the idea: four candidates, each a supply curve (curve.go), from which stock
// (stock.go), slots (rate.go) and forecasts (observe.go) follow. Belief (belief.go) and share (share.go) follow from
// forecasts. If no response reports w, it is measured (length.go, refill.go). A fleet may allot a part (part.go).
package limit
