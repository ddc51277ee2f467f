//go:build unix

// Fleet measures how well a fleet shares a quota, with real processes and a real Redis or Valkey:
//
//	cd measure && go run ./fleet
//
// Eight processes send as much as they can to one HTTP server on the loopback interface. The server has one
// quota for all of them: in one run a fixed window, in another a refilling limit. The processes share it with
// a fleet, and for comparison by response headers alone. Further runs have faults of the store: it is killed
// and restarted empty, it stands still, its network is bad, or one process cannot reach it.
//
// Every call of every process is accounted for. It has one outcome, is served once at most, and the processes
// sent as many requests as the server counted. No call may fail because of the store, and no goroutines may
// pile up.
//
// With -folder the processes meet in a folder: 8 to 200 of them, some of which are killed.
//
// Fleet prints tables. It exits with 1 if a check failed or a figure missed its bound. With -write, as in
// measure/run fleet, it writes docs/figures/fleet.md unless it exits with 1. -short takes less than a minute, and
// -v shows each window. The test runs the short form if redis-server or valkey-server is installed.
package main
