// Package share is what a Transport and its fleet tell each other: the Transport what it uses, and the fleet what the
// Transport's own part is. Module fleet has a fleet over Redis or Valkey.
package share

import (
	"time"

	"github.com/headway-go/headway/limits"
)

// A Fleet is how processes that use the same credentials share their quotas: they tell each other what they use, and
// agree on their parts.
type Fleet interface {
	// Key is the secret that partitions get their names in the fleet with: at least 16 random bytes, as names made with a
	// short one can be guessed. It is the same in all processes, and known to nobody who is not to know whom they talk to.
	// It is not kept or written to.
	Key() []byte

	// Join is called once by each Transport, at its first use. It must not block. From then on the Fleet asks the member
	// for what it uses and tells it its parts, until the member is no more. Into wants the Transport puts a value, if there
	// is room, whenever a request begins to wait that need not wait for long: because no part has been told, or a larger
	// one is to be had. nil means that the Fleet does not want to know.
	Join(Member) (wants chan<- struct{})
}

// A Member is a Transport as its Fleet sees it. It does not keep the Transport alive. Its methods may be called from any
// goroutine; none of them blocks, unless the hook does that Reached calls.
type Member interface {
	// Usage returns what the member uses of each partition in which requests wait, are in flight or held, or have been in
	// the last half minute. ok is false once the Transport is no more: then there is nobody to tell a part to.
	Usage() (all []PartitionUsage, ok bool)

	// Apportion tells the member its parts. Those of partitions that it does not have any more are ignored.
	Apportion([]PartitionPart)

	// Reached tells whether the store of the fleet could be reached, so that the Transport tells its Trace and its log when
	// that changes; nil means that it could.
	Reached(error)
}

// A PartitionUsage is what one member of a fleet uses of one partition.
type PartitionUsage struct {
	Name      string        // a keyed hash, the same in all processes
	Waiting   int           // requests in the queue, whatever they wait for
	HeldUntil time.Time     // the end of the hold on everything; zero if there is none
	Late      time.Duration // by how much too early the server was found to tell times
	Limits    []LimitUsage  // those whose quota and window are known
}

// A LimitUsage is what one member of a fleet uses of one limit.
type LimitUsage struct {
	ID string // a keyed hash of policy, partition key and unit, and of the quota if the policy has no name

	limits.Spent

	Waiting int // requests in the queue that use it

	Ends      time.Time // when the open window ends, as well as that is known; zero if it is not
	Told      time.Time // when the server told what remains
	HeldUntil time.Time // the end of the hold on it alone; zero if there is none
}

// A PartitionPart is what is one member's own of a partition's limits. Values that make
// no sense are taken for the nearest that do.
type PartitionPart struct {
	Name      string        // as in PartitionUsage
	Until     time.Time     // when it is no longer to be believed; what is told of holds and Late stays
	Members   int           // that share the partition, this one included
	HeldUntil time.Time     // the end of a hold on everything that any member met; zero if there is none
	Late      time.Duration // by how much too early the server was found to tell times, by any member
	Limits    []LimitPart
}

// A LimitPart is what is one member's own of one limit.
type LimitPart struct {
	ID string // as in LimitUsage

	limits.Allotted

	Ends      time.Time // of the window that was open when this was agreed on
	Told      time.Time // when any member was told what remains
	HeldUntil time.Time // the end of a hold on it that any member met; zero if there is none
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
