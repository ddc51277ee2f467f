//go:build race

package pacer_test

// stabiliseUsual is how many scenes TestStabilises plays. They take twenty times as long with the race detector, and
// share nothing.
const stabiliseUsual = 8
