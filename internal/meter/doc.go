// Package meter counts what a client has used of a rate limit. Each algorithm of package ratelimittest that needs more than
// a number has its state here, as a value without a clock, a lock, a policy or a decision. A Table keeps the states of
// many clients.
package meter
