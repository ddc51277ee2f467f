//go:build race

package headway

// crowdSize is less than the race detector's limit on goroutines.
const crowdSize = 4000
