package fleet

import (
	"context"
	"errors"
	"time"
)

var (
	errTurn = errors.New("another member agrees") // it has the turn to divide by now
	errMany = errors.New("headway: too many members")
)

// A store keeps the records of members and the agreements, see contents for what it does with them. All members go by the
// store's clock. A store is called by one goroutine at a time.
type store interface {
	// renew stores a member's record of each partition. It returns the member's last agreement for each, in
	// the same order. An error of one partition is in its renewed; err concerns all.
	renew(ctx context.Context, id string, batch []renewal) ([]renewed, error)

	// agree stores new agreements. It returns for each partition, in the same order, why they were not
	// stored: errTurn if another member has claimed the turn since.
	agree(ctx context.Context, batch []outcome) []error
}

// A renewal is one member's report on one partition.
type renewal struct {
	name   string
	record string
	keep   time.Duration // until the store drops the partition, if nobody renews it
}

// A renewed is the store's reply to a renewal.
type renewed struct {
	now       int64     // milliseconds since 1970
	agreement string    // the member's agreement; "": none
	all       *contents // nil unless it is this member's turn to divide
	err       error
}

// An outcome is the result of a division.
type outcome struct {
	name       string
	claim      string
	next       time.Duration // until the next turn
	ledger     string
	agreements map[string]string
	gone       []string
}
