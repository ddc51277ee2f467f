//go:build race

package fleet

// raced is true under the race detector, which takes many times as long and looks for other
// things than figures: then few processes are enough.
const raced = true
