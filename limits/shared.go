package limits

import "time"

// Spent is what a client reports of one limit to the clients that share its quota. It has no times: types
// that embed it add times of their own clock.
type Spent struct {
	Quota  int64         // more than 0
	Window time.Duration // more than 0

	Sent int64 // units sent since the client began to keep state for the limit
	Used int64 // units sent in the open window

	// The part of the quota that this client keeps to: Units of the open window, Next units of each
	// window after it, and Share of the quota's rate. All three are 0 if no part was allotted: the client
	// then estimates its share from what the others use.
	Units, Next int64
	Share       float64

	Remaining int64 // as the server reported it last; Unknown if it never did
	Refills   bool  // this client found that the limit is a token bucket: units come back one by one
}

// Allotted is the part of one limit that a client may use, as agreed among the clients that share the
// quota. It has no times: types that embed it add times of their own clock.
//
// Say three clients share q=100, w=60, and each gets an equal part. Each has a Share of 1/3, Units of 33,
// and Next of 33.
type Allotted struct {
	// Share is this client's share of the quota, at most 1. It sets the pace of a limit that is a token
	// bucket. A value of 0 or less counts as a very small share.
	Share float64

	// Units is this client's part of the window that was open when the part was agreed. It includes the units that the
	// client has sent in that window. Next is its part of each later window. A negative value counts as 0.
	Units, Next int64

	// Full reports that no client gets a larger part. If Full is false, the client gets more once it
	// needs more, so a planned wait may still become shorter.
	Full bool

	// Refills reports that one of the clients found that the limit is a token bucket. Share then
	// counts instead of Units, Next and Remaining.
	Refills bool

	// Remaining is the remaining quota that the server reported to another client; Unknown if none.
	Remaining int64
}
