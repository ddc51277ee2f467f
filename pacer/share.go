package pacer

import "math"

const (
	shareExponent = 0.9   // less lets shares grow faster towards what is free, 1 not at all: then a client that begins late stays small
	shareLeast    = 0.002 // more is refused where there are more than five hundred clients, less recovers slowly
	windowLeast   = 0.01  // of a window, of which a little too much is noticed in time: less leaves those small who came late to a crowd
	refusalShare  = 0.7   // what a refusal leaves of a share: less is refused less often, more settles sooner
	ownLeast      = 2     // own units that a share is measured over at least: more is late, less lets a small share be chance
	memoryLeast   = 10    // units that a share is measured over at least: more is late, less is chance
)

// A share estimates which part of the use of a quota is this client's own, over the last
// quota of units: own / all, raised to a power a little below one so that it grows towards
// what nobody uses.
//
// Say q = 100 and that while this client sent 20 units r fell by 80. Then its share is
// (20/80)^0.9 = 0.287.
type share struct {
	own, all float32 // units, fading
	carried  float32 // units by which r fell too far, or not far enough, as overtaking explains
	value    float32 // own/all to the power; 0 stands for 1
}

// of is the share in [shareLeast, 1]; 1 while nothing speaks against it.
func (s *share) of() float64 {
	if s.value == 0 {
		return 1
	}
	return float64(s.value)
}

// observe takes in that used units were used, own of them by this client. Of what is used
// besides, requests explain that were answered out of order: those sent later may have been
// counted (ahead), and those sent before not yet (behind). They are settled with the next.
func (s *share) observe(own, used, ahead, behind float64, quota int64) {
	own = greater(own, 0)
	excess := used - own + float64(s.carried)
	s.carried = float32(lesser(greater(excess, -behind), ahead))
	others := greater(excess-float64(s.carried), 0)
	s.own += float32(own)
	s.all += float32(own + others)
	if most := float32(max(memoryLeast, quota)); s.all > most && s.own > ownLeast {
		keep := max(most/s.all, ownLeast/s.own)
		s.own *= keep
		s.all *= keep
	}
	s.settle()
}

// refused takes in that the quota was used up sooner than expected.
func (s *share) refused() {
	s.all /= refusalShare
	s.settle()
}

func (s *share) settle() {
	s.value = 0
	if s.own < 0.999*s.all {
		part := greater(float64(s.own/s.all), shareLeast/2)
		s.value = float32(max(shareLeast, part*math.Exp((shareExponent-1)*math.Log(part)))) // math.Pow takes longer
	}
}
