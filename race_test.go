//go:build race

package headway

// crowdSize is less than the race detector's limit on goroutines.
const crowdSize = 4000

// raced is true under the race detector, which looks for other things than figures.
const raced = true
