package pacer

import "time"

// refill gathers the evidence that a limit gives units back bit by bit (linear,
// bucket, sliding) instead of all at a window's end.
type refill struct {
	evidence uint8
	came     int64 // units that came back
	strain   float64
	since    Instant // since when
	still    end     // an end that does not move speaks for a window
	stillN   int64   // units sent while it did not
	stillAt  Instant
}

func (f *refill) proven() bool { return f.evidence >= 2 }

func (f *refill) prove() { f.evidence = 2 }

// share is the part of the nominal rate to pace at, with left of quota units there.
func (f *refill) share(s, left, quota float64) float64 {
	if s < 0.9 {
		return s * min(1, max(0.2, left*s/2))
	}
	spare := 1.0
	if f.came > 2 {
		spare += 0.3 * left / quota
	}
	return s * spare * min(1, 0.5+0.5*max(0, left-1.5)/max(1, 0.02*quota))
}

func (f *refill) observe(r reading) {
	f.came += max(r.came, 0)
}

// adjust slows down when the quota runs dry and speeds up again while there is
// plenty: others use it too, or the window is longer than was believed.
func (f *refill) adjust(r reading, quota int64) {
	switch {
	case r.left == 0:
		f.strain = min(f.stretch()*1.25, 1000)
	case r.left >= max(3, quota/50) && r.came > r.own:
		f.strain = 1 / min(1, 1/f.stretch()+0.5/float64(max(quota, 20)))
	}
}

// stretch is how much longer than believed a window takes for this client; at least 1.
func (f *refill) stretch() float64 { return max(f.strain, 1) }

// doubt reports whether the limit behaves like a window after all: for seconds
// nothing came back and the end stayed where it was.
func (f *refill) doubt(r reading) bool {
	if r.came > 0 || !r.end.known() || !f.still.known() || !r.end.meets(f.still) {
		f.still, f.stillN, f.stillAt = r.end, 0, r.now
		return false
	}
	f.still = f.still.and(r.end)
	f.stillN += r.own
	return f.stillN >= 3 && r.now.Sub(f.stillAt) >= 3*time.Second
}
