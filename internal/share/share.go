// Package share defines what a Transport and its fleet exchange. The Transport reports how much of each quota it uses, and
// the fleet allots a part of each quota to it. Module fleet implements a fleet over Redis or Valkey.
package share

import (
	"time"

	"github.com/headway-go/headway/limits"
)

// A Fleet lets processes that use the same credentials share their quotas. They report their use to each other and agree
// on their parts.
type Fleet interface {
	// Key is the secret for the hashed names of partitions in the fleet. It has at least 16 random bytes, as names from a
	// short key can be guessed. All processes of the fleet have the same key. Whoever knows it can find out which servers
	// they use. The Transport does not keep or change it.
	Key() []byte

	// Join is called once by each Transport, at its first use. It must not block. From then on the Fleet calls the member's
	// Usage and Apportion, until Usage reports that the Transport is gone. The Transport sends to wants, without blocking,
	// when a request begins to wait that a larger part could let go. wants may be nil.
	Join(Member) (wants chan<- struct{})
}

// A Member is a Transport as its Fleet sees it. It does not keep the Transport alive. Its methods may be called from any
// goroutine. None of them blocks, except Reached if the Trace's hook does.
type Member interface {
	// Usage returns how much the member uses of each active partition. A partition is active while requests wait or are in
	// flight or a hold is in force, and for half a minute after that. ok is false once the Transport is gone.
	Usage() (all []PartitionUsage, ok bool)

	// Apportion sets the member's parts. Parts of partitions that the member has dropped are ignored.
	Apportion([]PartitionPart)

	// Reached reports whether the fleet's store could be reached; nil means that it could. The Transport's Trace and Logger
	// report each change.
	Reached(error)
}

// A PartitionUsage says how much one member of a fleet uses of one partition's limits.
type PartitionUsage struct {
	Name      string       // a keyed hash, the same in all processes
	Waiting   int          // all requests in the queue
	HeldUntil time.Time    // the end of the hold on all requests; zero if there is none
	Limits    []LimitUsage // those whose quota and window are known
}

// A LimitUsage says how much one member of a fleet uses of one limit.
type LimitUsage struct {
	ID string // a keyed hash of policy, partition key and unit, and of the quota if the policy has no name

	limits.Spent

	Waiting int // requests in the queue that use the limit

	Ends       time.Time // the estimated end of the open window; zero if it is unknown
	ReportedAt time.Time // when the server last reported the remaining quota
	HeldUntil  time.Time // the end of the hold on this limit alone; zero if there is none
}

// A PartitionPart is one member's part of a partition's limits. Values out of range are taken as the nearest value in
// range.
type PartitionPart struct {
	Name      string    // as in PartitionUsage
	Until     time.Time // when the part ends; HeldUntil stays valid
	Members   int       // that share the partition, including this one
	HeldUntil time.Time // the end of a hold on all requests that any member met; zero if there is none
	Limits    []LimitPart
}

// A LimitPart is one member's part of one limit.
type LimitPart struct {
	ID string // as in LimitUsage

	limits.Allotted

	Ends       time.Time // the end of the window for which the part was agreed
	ReportedAt time.Time // when the server last reported the remaining quota to any member
	HeldUntil  time.Time // the end of a hold on this limit that any member met; zero if there is none
}

// Limit returns the part of the limit with that ID; nil if there is none.
func (p *PartitionPart) Limit(id string) *LimitPart {
	for i := range p.Limits {
		if p.Limits[i].ID == id {
			return &p.Limits[i]
		}
	}
	return nil
}
