package limits

import "time"

// Spent is what a client has spent of one limit and goes by, but for times: these are of
// the clock of whoever holds it.
type Spent struct {
	Quota  int64         // more than 0
	Window time.Duration // more than 0

	Sent int64 // units since the partition was made
	Used int64 // of these, in the open window

	// The part that the client goes by: units of the open window and of each one after it,
	// and its share of the quota. All zero while it goes by what it sees of others' use.
	Units, Next int64
	Share       float64

	Remaining int64 // as the server told last; Unknown if it never did
	Refills   bool  // its units come back bit by bit, as this client has found
}

// Allotted is what is allotted to a client of one limit, but for times: these are of the
// clock of whoever holds it.
type Allotted struct {
	// Share is its part of the quota, at most 1. It is the pace of a limit that refills;
	// what is not more than 0 counts as next to nothing.
	Share float64

	// Units are its own of the window that was open when this was agreed on, those that it
	// has sent included, and Next of each window after that. Less than 0 is none.
	Units, Next int64

	// Full says that it is as much as any client gets. If not, it can have more
	// when it needs it, so that no wait for it is final.
	Full bool

	// Refills says that a client has found that its units come back bit by bit: then Share
	// counts, and none of Units, Next and Remaining, as long as this is believed and Refills is true.
	Refills bool

	// Remaining is what another client was told is left; Unknown if nothing.
	Remaining int64
}
