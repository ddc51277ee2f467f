//go:build race

package pacer_test

// stabiliseUsual is how many scenes TestStabilises plays, and groupsUsual how many runs of each cell TestGroups. They take
// twenty times as long with the race detector, and share nothing.
const stabiliseUsual, groupsUsual = 8, 1
