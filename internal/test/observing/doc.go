// Package observing tests what users see of a Transport: its State, the log and the hooks, including hooks that
// panic.
package observing
