// Package snapshot keeps what outlives a process: the sealed format, and the names by which partitions are found again
// in the next one.
package snapshot
