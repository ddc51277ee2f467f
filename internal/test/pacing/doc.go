// Package pacing measures in virtual time what Transports achieve against whole servers, alone and with others, and holds
// it to bounds:
//
//	go test ./internal/test/pacing -run TestPacing -v -wide
//
// Some of the servers do not report their limits. headway has to find the rate, or the number of concurrent requests, by
// refusals.
package pacing
