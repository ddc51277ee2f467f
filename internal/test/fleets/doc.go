// Package fleets tests a Transport in a fleet whose parts a test hands out: what it makes of them, and
// what it tells when its requests wait.
package fleets
