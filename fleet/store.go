package fleet

import (
	"context"
	"errors"
	"time"
)

// errTurn says that it is not this member's turn to agree any more.
var errTurn = errors.New("another member agrees")

// A store keeps what members tell of partitions. Its clock is the one that all go by.
type store interface {
	// renew keeps one member's records and returns what it was told, in the same order. An
	// error of one partition is in its renewed; err is for all.
	renew(ctx context.Context, id string, batch []renewal) ([]renewed, error)

	// agree tells members what was agreed on. It returns for each partition, in the same order, why
	// the store does not have that: errTurn if another member has claimed it meanwhile.
	agree(ctx context.Context, batch []outcome) []error
}

// A renewal is what one member tells of one partition.
type renewal struct {
	name   string
	record string
	keep   time.Duration // how long the partition is kept if nobody renews it
}

// A renewed is what the store answers.
type renewed struct {
	now  int64     // milliseconds since 1970
	told string    // "": nothing
	all  *contents // not nil if it is this member's turn to agree
	err  error
}

// contents are all that a store has of a partition, as it came.
type contents struct {
	claim         string // proves that it is this member's turn
	born, written int64
	ledger        string
	records       map[string]stamped
	told          map[string]string
}

// A stamped record has the time at which the store got it.
type stamped struct {
	at     int64
	record string
}

// An outcome is what was agreed on.
type outcome struct {
	name   string
	claim  string
	next   time.Duration // until this is anybody's turn again
	ledger string
	told   map[string]string
	gone   []string
}
