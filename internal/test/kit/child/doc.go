// Package child starts other programs beside a test: servers of other projects, and headway itself. Each ends with the
// test, and if the test fails its output is in the log.
package child
