// Package pacing measures in virtual time what Transports achieve against whole servers, alone and with
// others, and holds it to bounds:
//
//	go test -run TestPacing -v ./internal/test/pacing
package pacing
