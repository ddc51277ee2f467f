package pacer

import "time"

// probePatience is the shortest delay for which a new route is probed, and how long a probe's response is
// awaited before the next probe. Shorter: probes routes that are only slow. Longer: delays routes that may be
// free.
const probePatience = 5 * time.Second

// probe lets one request of a new route go early, before any response of the route. The limits that the route
// seems to use may be used up or held for long, but it may use others. So one request at a time finds out.
// After each probe without success the time until the next one doubles.
//
// An example: /search is held for an hour when the first request to /items comes. That request may go at
// once. If it succeeds, /items is free. If it is refused, the next new route is probed half a second later,
// and the one after that a second later.
//
// The first request of a new route goes alone, as at a new server: the route's own limits may be far smaller
// than the known ones.
func (p *Partition) probe(now Instant, cost *Cost, d *demand) {
	var r routes
	if p.routes != nil {
		r = *p.routes
	}
	at := r.next
	switch {
	case p.gate.end() > now && valueOf(p.gate).only == 0: // everything is held, and the reason is unknown
		at = Never
	case d.At.Sub(now) > probePatience:
	case cost.Since > 0: // other requests take every slot before it
		at = max(at, cost.Since.Add(probePatience))
	default:
		at = Never
	}
	if at < d.At {
		d.At, d.by, d.probe, d.look = at, -1, true, false
	}
	if at := r.asked.Add(trickle); p.seen(cost.Route).asked && at > max(d.At, now) {
		d.At, d.by, d.probe, d.first = at, -1, false, true
	}
}

// sentBy records that a request of a route is sent.
func (p *Partition) sentBy(now Instant, route uint8, probe bool) {
	if r := p.route(route); r.fresh {
		r.asked, p.routes.asked = true, now
	}
	if probe {
		p.routes.next = now.Add(probePatience)
	}
}

// probeEnds records the end of a probe.
func (p *Partition) probeEnds(now Instant, t *Ticket, answered bool) {
	r := p.routes
	if answered && p.route(t.route).spared != 0 {
		r.back, r.next = 0, now.Add(trickle)
		return
	}
	r.back = min(max(2*r.back, 2*firstBackoff), forgetAfter)
	r.next = now.Add(r.back)
}
