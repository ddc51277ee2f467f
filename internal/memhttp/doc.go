// Package memhttp carries HTTP requests to a handler in memory, with the latency of a network. It uses no socket, so it works
// in a bubble of testing/synctest. Client and handler see what net/http would show them, and at the same time. What they
// see is documented at ratelimittest.Transport.
package memhttp
