// Soak sends requests over real HTTP on the loopback interface for as long as one likes,
// while connections are cut, servers restart, refuse in storms and answer slowly, and
// clients give up; and accounts for each of them:
//
//	cd internal/measure/soak && go run . -for 10m
//
// A request has one outcome: it was served, handed back throttled, refused by headway
// without having been sent, cancelled, or it failed, for which there must be a reason. It was
// processed once if it was served, and never twice, unless that does no harm and a
// connection was lost meanwhile. Nothing grows: goroutines, timers, memory, and bodies of
// requests that are open, which are judged from 20 samples on, one every ten seconds; and
// no connection is left.
//
// It prints a line every ten seconds, and at the end tables, and exits with 1 if anything
// was otherwise. An interrupt ends it early, with the tables. With -write ../../../docs/soak.md
// they are written there, if nothing was. The test does the same for a few seconds.
//
// It is a module of its own so that users of headway never see it.
package main
