//go:build race

package pacer_test

// stabiliseUsual is how many scenes TestStabilises runs. The race detector does not need the figures.
const stabiliseUsual = 25
