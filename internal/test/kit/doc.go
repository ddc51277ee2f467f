// Package kit has what tests of several packages need: servers in memory, requests, and chance
// that can be repeated. It does not import headway, so that tests of any of its packages can use it.
//
// Everything is for tests. What takes a testing.TB fails that test, and must be called from its
// goroutine. Times are those of the bubble of testing/synctest that a test runs in.
package kit
