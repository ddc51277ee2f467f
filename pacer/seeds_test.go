//go:build !race

package pacer_test

// stabiliseUsual is how many scenes TestStabilises plays. groupsUsual is how many runs of each cell TestGroups plays: as
// many as docs/figures/pacing.md was written with, so that the figures are the same.
const stabiliseUsual, groupsUsual = 200, 5
