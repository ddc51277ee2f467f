// Package fleets tests a Transport in a fleet whose parts the tests hand out: how it applies them, and
// what it reports when its requests wait.
package fleets
