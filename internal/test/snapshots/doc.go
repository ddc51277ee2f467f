// Package snapshots tests what outlives the process: what a Transport restores of what another one knew.
package snapshots
