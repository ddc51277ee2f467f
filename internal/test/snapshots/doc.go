// Package snapshots tests that a Transport restores what another one knew.
package snapshots
