package series

import (
	"context"
	"sync"
	"time"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/series/seriestest"
)

const testPartition = seriestest.Partition

// A silent Recorder records nothing.
type silent struct{ _ int }

func (*silent) Sent(context.Context, time.Duration)            {}
func (*silent) Resent(context.Context, time.Duration)          {}
func (*silent) Abandoned(context.Context, time.Duration)       {}
func (*silent) Ended(context.Context, string, headway.Cause)   {}
func (*silent) Throttled(context.Context, string, string, int) {}
func (*silent) Refused(context.Context, string, string)        {}
func (*silent) Ignored(context.Context, string)                {}
func (*silent) Evicted(string)                                 {}

// A tally is a Recorder that counts what was sent.
type tally struct {
	silent

	mu    sync.Mutex
	count int
}

func (y *tally) Sent(context.Context, time.Duration) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.count++
}

// tallies returns all Recorders of a set, by the names of their Transports and partitions.
type tallies struct {
	*Set[*tally]

	mu  sync.Mutex
	all map[[2]string]*tally
}

// tallied returns a Set without bounds.
func tallied() *tallies {
	y := &tallies{all: make(map[[2]string]*tally)}
	y.Set = &Set[*tally]{MaxPartitions: -1, MaxPolicies: -1, New: func(transport, partition string) *tally {
		made := new(tally)
		y.mu.Lock()
		defer y.mu.Unlock()
		y.all[[2]string{transport, partition}] = made
		return made
	}}
	return y
}

// sent returns how many requests were sent.
func (y *tallies) sent() int {
	sum := 0
	for _, one := range y.all {
		sum += one.count
	}
	return sum
}

// sum returns the Sum of testPartition, for Transports without a name; nil if there is none.
func (y *tallies) sum() *Sum { return y.Sums()[y.all[[2]string{"", testPartition}]] }
