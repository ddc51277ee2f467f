package pacer

import "time"

// refill gathers the evidence that a limit gives units back bit by bit (linear,
// bucket, sliding) instead of all at a window's end.
type refill struct {
	evidence uint8
	came     int64   // units that came back
	since    Instant // since when
	still    end     // an end that does not move speaks for a window
	stillN   int64   // units sent while it did not
	stillAt  Instant
}

func (f *refill) proven() bool { return f.evidence >= 2 }

func (f *refill) prove() { f.evidence = 2 }

// share is the part of the nominal rate to pace at, with left of quota units there.
func (f *refill) share(s, left, quota float64) float64 {
	if s >= 0.9 {
		return s * min(1, 0.5+0.5*left/(0.05*quota))
	}
	return s * min(1, max(0.2, left*s/2))
}

// window is how long a window must be if so much comes back in so long; 0 if
// that is not known. It is asked only when the quota runs dry: then what was
// believed was too short.
func (f *refill) window(r reading, quota int64) time.Duration {
	if f.since == 0 {
		f.since = r.now
		return 0
	}
	f.came += max(r.came, 0)
	d := r.now.Sub(f.since)
	var w time.Duration
	if r.left == 0 && f.came >= 2 && d > 0 {
		w = scale(d, float64(quota)/float64(f.came))
	}
	if f.came >= max(8, quota/4) {
		f.came /= 2
		f.since = f.since.Add(d / 2)
	}
	return w
}

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
