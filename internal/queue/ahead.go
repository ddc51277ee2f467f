package queue

// Ahead returns the cost, in requests, of the waiters that w would have before it if it joined now, at limits that
// it uses. The turns of the oldest are left out.
func (q *Queue[T]) Ahead(w *Waiter[T]) (cost int64) {
	if q == nil {
		return 0
	}
	for l := range q.meeting(w) {
		cost += l.ahead(w.Resend, w.Priority)
	}
	return cost
}

// Each visits all waiters in the order in which they go, but for the turns of the oldest, and takes those
// that do not stay out of the queue. ahead is the cost, in requests, of those that stay before w at limits that it
// uses. All lines count as planned from then on.
func (q *Queue[T]) Each(visit func(w *Waiter[T], ahead int64) (stays bool)) {
	if q == nil {
		return
	}
	type before struct {
		limits Set
		cost   int64
	}
	lines := make(map[*line[T]]*before, len(q.lines))
	for _, l := range q.lines {
		lines[l] = &before{limits: q.limits(l.first())}
		l.planned = true
	}
	for _, w := range q.all() {
		own := lines[w.line]
		if !visit(w, own.cost) {
			q.Remove(w)
			continue
		}
		for _, other := range lines {
			if other == own || meet(own.limits, other.limits) {
				other.cost += w.Requests
			}
		}
	}
}
