//go:build race

package kit

// Raced is true under the race detector, which looks for other things than figures, and with
// which everything takes many times as long.
const Raced = true
