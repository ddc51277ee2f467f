// Package kit has helpers for the tests of all packages: servers in memory, requests, random numbers that can be
// repeated, and tables of pages that tests hold. It does not import headway, so that the tests of any package can use it.
//
// Functions with a testing.TB fail that test, and must be called from its goroutine. Times are those of the
// test's testing/synctest bubble.
package kit
