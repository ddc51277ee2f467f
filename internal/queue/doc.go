// Package queue says who of the requests that wait is next, and who may pass whom. It is the only
// place where that is decided. It has no lock, no clock, and knows nothing of how limits are
// paced: what limits a waiter uses is a set of bits that the caller tells.
//
// The order is: requests that were throttled and are sent again, then higher priorities, then
// earlier calls. Every eighth turn is that of the oldest, so that a low priority never waits for ever.
//
// Waiters that use the same limits stand in one line. The first of one line may pass the first of
// another line, unless it uses a limit that the other one waits for.
package queue
