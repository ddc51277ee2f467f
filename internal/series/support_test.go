package series

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/series/seriestest"
)

const testPartition = seriestest.Partition

// A tally is a Recorder that counts.
type tally struct {
	transport, partition string

	mu     sync.Mutex
	events map[string]int
	waited map[string]time.Duration // by the outcome
}

func (y *tally) count(event string, labels ...any) {
	y.mu.Lock()
	defer y.mu.Unlock()
	for _, label := range labels {
		event += fmt.Sprint(" ", label)
	}
	y.events[event]++
}

func (y *tally) end(outcome string, waited time.Duration) {
	y.count(outcome)
	y.mu.Lock()
	defer y.mu.Unlock()
	y.waited[outcome] += waited
}

func (y *tally) Sent(_ context.Context, waited time.Duration)      { y.end(OutcomeSent, waited) }
func (y *tally) Resent(_ context.Context, waited time.Duration)    { y.end(OutcomeResent, waited) }
func (y *tally) Abandoned(_ context.Context, waited time.Duration) { y.end(OutcomeAbandoned, waited) }

func (y *tally) Ended(_ context.Context, policy string, cause headway.Cause) {
	y.count("waited", strconv.Quote(policy), cause)
}

func (y *tally) Throttled(_ context.Context, policy string, status int) {
	y.count("throttled", strconv.Quote(policy), status)
}

func (y *tally) Refused(_ context.Context, policy, reason string) {
	y.count("refused", strconv.Quote(policy), reason)
}
func (y *tally) Ignored(_ context.Context, reason string) { y.count("ignored", reason) }
func (y *tally) Evicted(reason string)                    { y.count("evicted", reason) }

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
		made := &tally{transport: transport, partition: partition, events: make(map[string]int), waited: make(map[string]time.Duration)}
		y.mu.Lock()
		defer y.mu.Unlock()
		y.all[[2]string{transport, partition}] = made
		return made
	}}
	return y
}

// events returns a partition's events, for Transports without a name.
func (y *tallies) events(t *testing.T, partition string) map[string]int {
	t.Helper()
	one := y.all[[2]string{"", partition}]
	require.NotNil(t, one, partition)
	return maps.Clone(one.events)
}

// sent returns how many requests were sent.
func (y *tallies) sent() int {
	sum := 0
	for _, one := range y.all {
		sum += one.events[OutcomeSent]
	}
	return sum
}

// sum returns the Sum of testPartition, for Transports without a name; nil if there is none.
func (y *tallies) sum() *Sum { return y.Sums()[y.all[[2]string{"", testPartition}]] }
