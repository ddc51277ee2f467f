package interop_test

import "testing"

// A program is a server that runs as a process of its own, from a package of the system.
type program struct {
	name string // of the executable
	// start starts it in front of the API at a URL, and returns its own.
	start func(t *testing.T, upstream string) (url string)
}
