package pacer

import "math"

const (
	shareExponent = 0.9   // of the share. Less: shares grow faster towards unused quota. 1: shares never grow, and a client that begins late stays small
	shareLeast    = 0.002 // least share. More: refusals with more than five hundred clients. Less: recovers slowly
	windowLeast   = 0.01  // least share of a fixed window, where r shows an excess before the quota is used up. Less: late clients of a crowd stay small
	refusalShare  = 0.7   // part of the share that a refusal leaves. Less: fewer refusals. More: settles sooner
	ownLeast      = 2     // least own units in a measurement. More: late. Less: a small share is chance
	memoryLeast   = 10    // least units in a measurement. More: late. Less: chance
)

// A share estimates this client's part of all use of a quota over the last q units: own / all. An exponent a
// little below one lets the share grow towards quota that nobody uses.
//
// An example with q = 100: while this client sent 20 units, r fell by 80. Then its share is (20/80)^0.9 =
// 0.287.
type share struct {
	own, all float32 // units; older ones fade
	carried  float32 // units by which r fell too far or too little, as overtaking explains
	value    float32 // (own/all)^shareExponent; 0 stands for 1
}

// of returns the share in [shareLeast, 1]; 1 without evidence of other clients.
func (s *share) of() float64 {
	if s.value == 0 {
		return 1
	}
	return float64(s.value)
}

// observe records that used units were used, own of them by this client. Requests that overtake each other
// explain a part of the difference: later ones may be counted already (ahead), and earlier ones not yet
// (behind). That part is carried to the next reading.
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

// refused lowers the share after a refusal, because the quota was used up sooner than expected.
func (s *share) refused() {
	s.all /= refusalShare
	s.settle()
}

func (s *share) settle() {
	s.value = 0
	if s.own < 0.999*s.all {
		part := greater(float64(s.own/s.all), shareLeast/2)
		s.value = float32(max(shareLeast, part*math.Exp((shareExponent-1)*math.Log(part)))) // math.Pow is slower
	}
}
