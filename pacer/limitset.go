package pacer

import "math/bits"

// maxLimits bounds the limits of one partition, because servers choose their names. The one with the oldest
// report is dropped first.
const maxLimits = 24

// A LimitSet is a set of limits of one partition, and meaningless in others. It becomes invalid when a response
// reports a new limit, when Send or Take gets a new partition key, and with Forget.
type LimitSet uint32

// Everything stands for what delays all requests alike: a hold on everything, a place in flight, or a rate
// from a trial.
const Everything LimitSet = 1 << 31

// Meets reports whether both sets have a limit in common.
func (s LimitSet) Meets(t LimitSet) bool { return s&t != 0 }

// placeOf returns the set of the limit at place i.
func placeOf(i int) LimitSet { return 1 << i }

// first returns the place of the set's first limit. The set must not be empty.
func (s LimitSet) first() int { return bits.TrailingZeros32(uint32(s)) }

// rest returns the set without its first limit.
func (s LimitSet) rest() LimitSet { return s & (s - 1) }

func (s LimitSet) len() int { return bits.OnesCount32(uint32(s)) }

// rank returns how many limits of the set come before place i.
func (s LimitSet) rank(i int) int { return (s & (placeOf(i) - 1)).len() }
