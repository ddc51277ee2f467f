// Package observing tests what users see of a Transport: its state, the log and the hooks, also such
// as panic.
package observing
