package pacer

import "time"

const (
	probeGap  = trickle     // between probes
	probeBack = time.Second // after one that was refused, doubled each time
	probeMost = 12          // of doubling
)

// mayProbe reports whether a request of the route may go although what it is thought
// to use is used up or held: no request of the route was answered yet, so it may use
// something else. One at a time is to find out.
func (p *Partition) mayProbe(route uint8) bool {
	return p.routes != nil && p.route(route).fresh && !p.routes.probing
}

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
