//go:build race

package headway_test

// raceDetector is true where everything takes many times as long.
const raceDetector = true
