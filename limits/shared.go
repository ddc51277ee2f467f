package limits

import "time"

// A Usage is what a client reports of one partition to the clients that share its quotas. Its times, like those of Parts,
// count from the moment of the report.
type Usage struct {
	Name   string        // of the partition, the same for all clients
	Held   time.Duration // how much longer all requests are held; 0: they are not
	Limits []Use         // those that can be shared
}

// An ID is a limit's name among all clients.
type ID struct {
	Policy, PartitionKey string
	Unit                 Unit
	Quota                int64 // tells policies without a name apart; 0 if the policy has one
}

// A Use is how much a client uses of one limit.
type Use struct {
	ID      ID
	Quota   int64         // more than 0
	Window  time.Duration // more than 0
	Reset   time.Duration // the longest reset that this client was told of late, if no response reports Window; else 0
	Refills bool          // this client found that the limit is a token bucket: units come back one by one

	Sent    int64         // units sent since the client began to keep state for the limit
	Used    int64         // units sent in the open window
	Ends    time.Duration // until about the end of the open window, negative once that is past; 0: unknown
	Waiting int           // requests that wait and use the limit

	Remaining int64         // as the server reported it last; Unknown if it did not report this window
	Age       time.Duration // since that report
	Held      time.Duration // how much longer requests that use the limit are held; 0: they are not
}

// Parts are what a client may use of the limits of one partition, as agreed among the clients that share the quotas.
type Parts struct {
	Members int           // clients that share the quotas, including this one
	Lasts   time.Duration // until Limits expire; holds are taken over in any case
	Held    time.Duration // how much longer another client holds all requests; 0: not at all
	Limits  []Part
}

// A Part is what a client may use of one limit. Values out of range are taken as the nearest value in range.
//
// Say three clients share q=100, w=60, and each gets an equal part. Each has a Share of 1/3, Units of 33, and Next of 33.
type Part struct {
	ID    ID
	Share float64 // of the quota, at most 1: it sets the pace of a token bucket; 0 or less counts as very small

	// Units is this client's part of the window that ends after Ends. It includes the units that the client has sent in that
	// window. Next is its part of each later window.
	Units, Next int64
	Ends        time.Duration

	Window time.Duration // the longest Use.Reset of all clients, which counts if no response reports the window; 0: unknown

	Full    bool          // no client gets a larger part; else this one gets more if it needs more, so a planned wait may become shorter
	Refills bool          // one of the clients found that the limit is a token bucket: Share counts instead of Units and Next
	Held    time.Duration // how much longer another client holds requests that use the limit; 0: not at all

	Remaining int64         // as the server reported it last to any client; Unknown if it did not
	Age       time.Duration // since that report
}
