package pacer

import "time"

const (
	probePatience = 5 * time.Second  // a new route waits so long or three intervals before it is tried: less probes what is only slow
	probeMostWait = 20 * time.Second // but no longer than this: more keeps a route back that may be free
	probeTimeout  = 5 * time.Second  // after which another one may go, answered or not: less floods, more stalls
	probeBack     = time.Second      // after one in vain, doubled each time: less asks too often
	probeAlike    = time.Minute      // the same where all routes that are known have the same limits
	probeMost     = 12               // of doubling: more is days
)

// isNew reports whether no request of the route was answered yet, among several routes.
// What it is thought to use may be used up or held, and it may use something else: one
// request at a time goes nevertheless, to find out.
//
// Say /search is held for an hour, and the first request to /items comes. It is let go at
// once. If it succeeds, nothing keeps /items back; if it is refused, the next such request
// goes a minute later.
func (p *Partition) isNew(route uint8) bool { return p.routes != nil && p.route(route).fresh }

// probe lets a request of a new route go early if what is thought to apply to it would
// keep it back for long. The first request of a new route goes alone, as that of a server of which
// nothing is known: what applies to it may be far less than what is known.
func (p *Partition) probe(now Instant, cost *Cost, d *demand) {
	r, route := p.routes, cost.Route
	patience := max(probePatience, min(scale(d.gap, 3), probeMostWait))
	isHeldForAll := p.gate.until > now && p.gate.only == 0 // for an unknown reason
	isLong := d.At.Sub(now) > patience
	if (isLong || cost.Since > 0) && !isHeldForAll {
		at := r.next
		if !isLong { // others take the slots before it
			at = max(at, cost.Since.Add(patience))
		}
		if r.probed > 0 {
			at = max(at, r.probed.Add(probeTimeout))
		}
		if at < d.At {
			d.At, d.by, d.probe = at, -1, true
		}
	}
	sent := r.lastSent(route)
	if sent == nil || *sent == 0 || p.route(route).met {
		return
	}
	if at := sent.Add(trickle); at > d.At && at > now {
		d.At, d.by, d.probe, d.first = at, -1, false, true
	}
}

// lastSent is when the last request of a route was sent; nil: the route has no number.
func (r *routes) lastSent(route uint8) *Instant {
	if route == 0 || int(route) > len(r.sent) {
		return nil
	}
	return &r.sent[route-1]
}

// sentBy notes that a request of a route is sent.
func (p *Partition) sentBy(now Instant, route uint8, probe bool) {
	r := p.routes
	if sent := r.lastSent(route); sent != nil {
		*sent = now
	}
	if probe {
		r.probed = now
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
		r.next, r.doublings = now.Add(trickle), 0
	default:
		back := probeAlike
		if p.divided() != 0 {
			back = probeBack
		}
		r.next = now.Add(back << r.doublings)
		r.doublings = min(r.doublings+1, probeMost)
	}
	r.probed = 0
}
