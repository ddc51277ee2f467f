// Package queue decides which waiting request is next, and which may overtake which. It has no lock and no
// clock. It knows nothing of pacing: the caller says which limits a waiter uses, as a set of bits.
//
// Throttled requests that are sent again go first, then those of a higher priority, then earlier calls. Every
// eighth turn goes to the oldest waiter, so that a low priority does not wait for ever.
//
// Waiters that use the same limits stand in one line. The first waiter of a line may overtake the first of
// another line, unless it uses a limit for which the other one waits. Example: a request that waits for tokens is
// overtaken by a request that uses none. A line has a level for each rank, and a level is a list of waiters.
package queue
