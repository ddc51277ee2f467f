// Package waiting tests how long requests are kept from the wire and in which order they go: by holds, by MaxWait and
// deadlines, and by the caller's own Ceiling.
package waiting
