// Soak sends requests over real HTTP on the loopback interface, for as long as you like, and
// accounts for each of them. Meanwhile connections are cut, servers restart, refuse in storms and
// respond slowly, and clients give up:
//
//	cd measure && go run ./soak -for 10m
//
// Each request has one outcome: served, handed back throttled, refused by headway without being
// sent, cancelled, or failed with a reason. A served request was processed once. It may have been
// processed twice only if that does no harm and a connection was lost meanwhile.
//
// Nothing may grow: goroutines, timers, memory, and open request bodies. Soak takes one sample
// every ten seconds, and judges growth from 20 samples on. No connection may be left at the end.
//
// Soak prints a line every ten seconds, and tables at the end. It exits with 1 if there are
// violations. An interrupt ends it early, with the tables. With -write, as in measure/run soak, it
// writes docs/figures/soak.md if there are no violations. The test soaks for a few seconds.
package main
