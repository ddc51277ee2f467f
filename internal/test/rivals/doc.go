// Package rivals holds headway to what other rate limiters for clients demand of themselves.
package rivals
