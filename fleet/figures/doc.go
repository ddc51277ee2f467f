//go:build unix

// Figures measures what a fleet is worth, with real processes and a real Redis or Valkey:
//
//	cd fleet && go run ./figures
//
// Eight processes send as much as they can to one HTTP server on the loopback interface
// that has one quota for all of them: a fixed window, and one that refills. They share it
// by way of a fleet, and beside that by what each sees in headers alone. Then the store of
// the fleet is killed and comes back empty, stands still, is reached over a bad network,
// or by all processes but one.
//
// Every call of every process is accounted for: it has one outcome, was served once if
// it was served, and what processes sent is what the server counted. No call may fail
// because of the store, and nothing piles up in processes meanwhile.
//
// It prints tables, and exits with 1 if anything was otherwise or a figure missed its
// bound. With -write ../docs/fleet.md they are written there, if nothing was. -short takes
// less than a minute, and -v shows each window. The test does the short form where a
// redis-server or valkey-server is found.
package main
