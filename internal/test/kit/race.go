//go:build race

package kit

// Raced is true under the race detector. Tests then take many times as long, so some do less work.
const Raced = true
