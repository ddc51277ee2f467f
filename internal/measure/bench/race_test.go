//go:build race

package bench_test

// raceDetector is true where everything takes many times as long.
const raceDetector = true
