package pacer

import "math/bits"

// maxLimits bounds the limits that one partition keeps, because servers choose
// their names. The one told longest ago goes first.
const maxLimits = 24

// A LimitSet is a set of limits of one partition. It means nothing in another one,
// or once the partition has been told of more.
type LimitSet uint32

// Everything stands for what keeps back all requests alike: a hold on everything, a
// place in flight, a pace found by trial.
const Everything LimitSet = 1 << 31

// Meets reports whether a limit is in both sets.
func (s LimitSet) Meets(t LimitSet) bool { return s&t != 0 }

// placeOf is the set of the limit that is kept there.
func placeOf(i int) LimitSet { return 1 << i }

// first is where the first limit of the set is kept, which must not be empty.
func (s LimitSet) first() int { return bits.TrailingZeros32(uint32(s)) }

// rest is the set without its first.
func (s LimitSet) rest() LimitSet { return s & (s - 1) }

func (s LimitSet) len() int { return bits.OnesCount32(uint32(s)) }

// rank is how many limits of the set are kept before that place.
func (s LimitSet) rank(i int) int { return (s & (placeOf(i) - 1)).len() }
