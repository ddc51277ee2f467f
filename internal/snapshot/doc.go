// Package snapshot saves partitions for the next process, in a sealed format, and restores them by their names.
package snapshot
