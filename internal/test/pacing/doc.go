// Package pacing measures in virtual time what Transports achieve against whole servers, alone and with others, and holds
// it to bounds:
//
//	go test ./internal/test/pacing -run TestPacing -v -wide
//
// TestPacing has rows of servers that report their limits, of servers that do not, so that headway has to find the rate or
// the number of concurrent requests by refusals, and of servers that punish those who go on asking.
package pacing
