//go:build !race

package pacer_test

// stabiliseUsual is how many scenes TestStabilises plays.
const stabiliseUsual = 200
