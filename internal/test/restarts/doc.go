// Package restarts tests that a Transport restores what another one knew.
package restarts
