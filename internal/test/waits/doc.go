// Package waits tests how long requests wait and in which order they go: with holds, MaxWait, deadlines, and the
// caller's Ceiling.
package waits
