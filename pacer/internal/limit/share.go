package limit

import "math"

const (
	shareExponent = 0.9   // Less: shares grow faster towards unused quota. More: a client that begins late stays small
	shareLeast    = 0.001 // More: refusals with many clients. Less: recovers slowly
	refusalShare  = 0.7   // part of the own units that a refusal leaves. Less: fewer refusals. More: settles sooner
	memoryTime    = 60.0  // seconds over which a share of a longer window is measured. Longer: after a burst of others units stay unused for minutes. Shorter: clients that are seldom busy are overlooked
	memoryUnits   = 20.0  // units at q/w that are measured at least. More: late. Less: chance
)

// A share is this client's part of all use of late, see memory: (own / all)^0.9. An example: 20 of 80 units are a share of
// 0.287.
type share struct {
	Own, All float64
	value    float64 // 0 stands for 1
}

func (s *share) of() float64 {
	if s.value == 0 {
		return 1
	}
	return s.value
}

// Portion returns the share that this client uses for its pace.
func (l *Limit) Portion(now float64) float64 {
	if p := l.Allotted(now); p != nil {
		return max(p.Share, eps)
	}
	return l.Share.of()
}

// observeShare learns from own units, and units that only others can have used.
func (l *Limit) observeShare(in *report) {
	s, f := &l.Share, &in.forecasts[l.Belief.Believed]
	own, others := f.own, f.others
	if own <= 0 && (others <= 0 || s.Own == 0) {
		return
	}
	seconds, most := l.memory()
	if seconds > 0 {
		fades := seconds / (seconds + max(in.Seen-l.Seen, 0))
		s.Own *= fades
		s.All *= fades
	}
	s.Own += own
	s.All += own + max(0, others)
	if s.All > most {
		s.Own, s.All = min(s.Own*most/s.All, most), most
	}
	s.settle()
}

// memory returns over how many seconds a share is measured, and how many units it holds at most: what q/w gives in that time.
func (l *Limit) memory() (seconds, units float64) {
	n := l.nominal()
	if n == 0 {
		return l.Window, memoryUnits
	}
	seconds = min(l.Window, max(memoryTime, memoryUnits/n))
	return seconds, max(memoryUnits, n*seconds)
}

func (s *share) settle() {
	s.value = 0
	if s.Own < 0.999*s.All {
		s.value = max(shareLeast, math.Pow(s.Own/s.All, shareExponent))
	}
}

// isQuiet reports whether nothing has proved others' use for two windows. Then nobody has used the units beyond the
// largest r of late: the server may hold less than q.
func (l *Limit) isQuiet(now float64) bool {
	return l.Units > 1 && now-l.History.OthersAt > min(2*l.Window, mostGuess)
}
