// Soak sends requests over real HTTP on the loopback interface for as long as one likes,
// while connections are cut, servers restart, refuse in storms and answer slowly, and
// clients give up; and accounts for each of them:
//
//	cd soak && go run . -for 10m
//
// A request has one outcome: it was served, handed back throttled, refused by headway
// without having been sent, cancelled, or it failed, for which there must be a reason. It was
// processed once if it was served, and never twice, unless that does no harm and a
// connection was lost meanwhile. Nothing grows: goroutines, timers, connections, memory.
//
// It prints a line every ten seconds, and at the end a table, and exits with 1 if
// anything was otherwise. An interrupt ends it early, with the table. The test does the
// same for a few seconds.
//
// It is a module of its own so that users of headway never see it.
package main
