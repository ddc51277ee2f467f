package pacer

import "time"

// probePatience is how long what keeps a new route back has to last for it to be tried
// all the same, and how long the answer is awaited before another one is: less probes what is only
// slow, more keeps a route back that may be free.
const probePatience = 5 * time.Second

// probe lets a request go early of a route of which none was answered yet. What the route is
// thought to use may be used up or held for long, and it may use something else: one request
// at a time goes to find out. After one in vain the time until the next doubles.
//
// Say /search is held for an hour, and the first request to /items comes. It is let go at
// once. If it succeeds, nothing keeps /items back. If it is refused, the next new route is
// tried half a second later, and the one after that a second later.
//
// The first request of a new route goes alone, as that of a server of which nothing is known:
// what applies to it may be far less than what is known.
func (p *Partition) probe(now Instant, cost *Cost, d *demand) {
	var r routes
	if p.routes != nil {
		r = *p.routes
	}
	at := r.next
	switch {
	case p.gate.end() > now && as(p.gate).only == 0: // all is held, for an unknown reason
		at = Never
	case d.At.Sub(now) > probePatience:
	case cost.Since > 0: // others take the slots before it
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

// sentBy notes that a request of a route is sent.
func (p *Partition) sentBy(now Instant, route uint8, probe bool) {
	if r := p.route(route); r.fresh {
		r.asked, p.routes.asked = true, now
	}
	if probe {
		p.routes.next = now.Add(probePatience)
	}
}

// probeEnds takes in that a probe is over.
func (p *Partition) probeEnds(now Instant, t *Ticket, answered bool) {
	r := p.routes
	if answered && p.route(t.route).spared != 0 {
		r.back, r.next = 0, now.Add(trickle)
		return
	}
	r.back = min(max(2*r.back, 2*firstBackoff), memory)
	r.next = now.Add(r.back)
}
