package pacer

import "time"

const (
	probePatience = 5 * time.Second // to wait longer for a slot than this is to be held
	probeGap      = trickle         // between probes
	probeBack     = time.Second     // after one that was refused, doubled each time
	probeMost     = 12              // of doubling
)

// isNew reports whether no request of the route was answered yet, among several routes.
// What it is thought to use may be used up or held, and it may use something else: one
// request at a time goes nevertheless, to find out.
func (p *Partition) isNew(route uint8) bool { return p.routes != nil && p.route(route).fresh }

// mayProbe reports whether a request of the route may be the one that goes next.
func (p *Partition) mayProbe(route uint8) bool { return p.isNew(route) && !p.routes.probing }

// probed takes in that a request is over, which may have been a probe; found: it was
// answered and not refused.
func (p *Partition) probed(now Instant, t *Ticket, found bool) {
	if !t.probe {
		return
	}
	r := p.routes
	r.probing = false
	if found {
		r.next, r.doublings = now.Add(probeGap), 0
		return
	}
	r.next = now.Add(probeBack << r.doublings)
	r.doublings = min(r.doublings+1, probeMost)
}
