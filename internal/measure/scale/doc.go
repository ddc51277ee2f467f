// Package scale measures in virtual time how the cost of a request grows with the number
// of requests, partitions, waiters and clients, and checks what must hold whatever the
// machine: everything is served once and in order, memory stays in bounds, and the
// allocations for a request do not depend on how many there are. All of it is in tests;
// this prints the tables and writes them to a file:
//
//	cd internal/measure/scale && go test -run TestScale -v . -write ../../../docs/scale.md
//
// Without -write or -full the largest size, 1,000,000 requests over 10,000 partitions, is
// left out, which takes longer than all others.
//
// It is a module of its own so that users of headway do not depend on what it takes.
package scale
