// Package store has what a fleet and its stores know of each other, and the rules that all stores follow.
package store

import (
	"context"
	"errors"
	"time"
)

// Bounds of what a store has.
const (
	Version     = 1        // of the values in a store
	MostMembers = 4096     // of one partition; further members are ignored
	MostBytes   = 16 << 10 // of one record, agreement or ledger
	LeastKey    = 16       // bytes of a key
	MostTime    = 1 << 43  // milliseconds: the year 2248, which is still an int64 in nanoseconds
)

// TurnFor is how long a member that has the turn may take to divide.
const TurnFor = 500 * time.Millisecond

// ErrTurn means that another member has the turn to divide by now.
var ErrTurn = errors.New("another member agrees")

var errMany = errors.New("too many members")

// A Store keeps the records of members and the agreements, see Contents for what it does with them. All members go by the
// store's clock. A Store is called by one goroutine at a time.
type Store interface {
	// Renew stores a member's record of each partition. It returns the member's last agreement for each, in
	// the same order. An error of one partition is in its Renewed; err concerns all.
	Renew(ctx context.Context, id string, batch []Renewal) ([]Renewed, error)

	// Agree stores new agreements. It returns for each partition, in the same order, why they were not
	// stored: ErrTurn if another member has claimed the turn since.
	Agree(ctx context.Context, batch []Outcome) []error

	// Explain adds to an error of the store what an operator can do about it, if it is known.
	Explain(err error) error
}

// A Renewal is one member's report on one partition.
type Renewal struct {
	Name   string
	Record string
	Keep   time.Duration // until the store drops the partition, if nobody renews it
}

// A Renewed is the store's reply to a Renewal.
type Renewed struct {
	Now       int64     // milliseconds by the store's clock
	Agreement string    // the member's agreement; "": none
	All       *Contents // nil unless it is this member's turn to divide
	Err       error
}

// An Outcome is the result of a division.
type Outcome struct {
	Name       string
	Claim      string
	Next       time.Duration // until the next turn
	Ledger     string
	Agreements map[string]string
	Gone       []string
}
