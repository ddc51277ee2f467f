package queue

// Ahead returns the cost, in requests, of the waiters that would go before w if it joined now, as far as they use the
// same limits. It ignores the turns of the oldest.
func (q *Queue[T]) Ahead(w *Waiter[T]) (cost int64) {
	if q == nil {
		return 0
	}
	for l := range q.meeting(w) {
		cost += l.ahead(w.Resend, w.Priority)
	}
	return cost
}

// Each visits all waiters in their order, ignoring the turns of the oldest, and removes those that do not stay. ahead is
// the cost, in requests, of the waiters that stay before w and use the same limits. Afterwards all lines are planned.
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
