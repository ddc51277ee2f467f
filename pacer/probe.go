package pacer

import "time"

const (
	probePatience = 5 * time.Second  // to wait longer than this, or
	probeGaps     = 3                // so many gaps, but
	probeMostWait = 20 * time.Second // no more than this, is to be held

	probeTimeout = 5 * time.Second // after which another one may go, answered or not
	probeGap     = trickle         // after one that found out that other limits apply
	probeBack    = time.Second     // after one that did not, doubled each time
	probeAlike   = time.Minute     // the same where all routes that are known have the same limits
	probeMost    = 12              // of doubling
)

// isNew reports whether no request of the route was answered yet, among several routes.
// What it is thought to use may be used up or held, and it may use something else: one
// request at a time goes nevertheless, to find out.
func (p *Partition) isNew(route uint8) bool { return p.routes != nil && p.route(route).fresh }

// awaitFirst has the first request of a new route go alone, as that of a server of which
// nothing is known (cold.go). What applies to it may be far less than what is known.
func (p *Partition) awaitFirst(now Instant, route uint8, n *need) {
	sent := p.routes.lastSent(route)
	if sent == nil || *sent == 0 || p.route(route).met {
		return
	}
	if at := sent.Add(trickle); at > n.At && at > now {
		n.At, n.by, n.probe, n.first = at, -1, false, true
	}
}

// lastSent is when the last request of a route was sent; nil: the route has no number.
func (r *routes) lastSent(route uint8) *Instant {
	if route == 0 || int(route) > len(r.sent) {
		return nil
	}
	return &r.sent[route-1]
}

// probe lets a request of a new route go early if what is thought to apply to it would
// keep it back for long.
func (p *Partition) probe(now Instant, n *need) {
	r := p.routes
	if r.since == 0 {
		r.since = now
	}
	patience := max(probePatience, min(scale(n.gap, probeGaps), probeMostWait))
	if n.At.Sub(now) <= patience && (n.At <= now || now.Sub(r.since) <= patience) {
		return
	}
	at := r.next
	if r.probed > 0 {
		at = max(at, r.probed.Add(probeTimeout))
	}
	if at < n.At {
		n.At, n.by, n.probe = at, -1, true
	}
}

// sentBy notes that a request of a route is sent.
func (p *Partition) sentBy(now Instant, route uint8, probe bool) {
	r := p.routes
	if sent := r.lastSent(route); sent != nil {
		*sent = now
	}
	if probe {
		r.probed, r.since = now, 0
	}
}

// unsentBy takes that back.
func (p *Partition) unsentBy(t *Ticket) {
	r := p.routes
	if r == nil {
		return
	}
	if t.probe {
		r.probed = 0
	}
	if sent := r.lastSent(t.route); sent != nil && *sent == t.sent {
		*sent = 0
	}
}

// probeEnds takes in that a probe is over.
func (p *Partition) probeEnds(now Instant, t *Ticket, answered bool) {
	r := p.routes
	switch {
	case answered && p.route(t.route).spared != 0:
		r.next, r.doublings = now.Add(probeGap), 0
	default:
		back := probeAlike
		if p.divided() != 0 {
			back = probeBack
		}
		r.next = now.Add(back << r.doublings)
		r.doublings = min(r.doublings+1, probeMost)
	}
	r.probed, r.since = 0, 0
}
