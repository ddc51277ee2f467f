//go:build !race

package pacer_test

// stabiliseUsual is how many scenes TestStabilises runs.
const stabiliseUsual = 250
