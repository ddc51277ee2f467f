//go:build race

package scale

// raced is true under the race detector, which allows few goroutines, takes many times
// as long, and looks for other things than figures.
const raced = true
