package ratelimittest

import "reflect"

// A Fresher is a Limiter of which there can be more: Fresh returns one that is set
// up like it and has decided nothing yet, nil if it cannot. All Limiters of this
// package are Freshers, but for a LimiterFunc and what has one in it, as nobody knows
// what the function remembers.
//
// Fresh has to return a Limiter of the type that it is called on, or that is taken for
// one of which there can be no more. So a type of a test's own that embeds a Fresher,
// such as a *FixedWindow, and decides in a Take of its own is none, unless it has a
// Fresh of its own too: that of the FixedWindow returns a FixedWindow.
//
// So one Limiter, whatever it has decided already, is enough to describe a server
// that is run, and then compared with what it would have granted.
type Fresher interface {
	Limiter
	Fresh() Limiter
}

// fresh returns a Limiter like l that has decided nothing yet, nil if there is none.
func fresh(l Limiter) Limiter {
	if f, ok := l.(Fresher); ok {
		if again := f.Fresh(); reflect.TypeOf(again) == reflect.TypeOf(l) {
			return again
		}
	}
	return nil
}

// anew returns a Limiter like l that has decided nothing yet, or where there is none
// l, of which its owner has to say so.
func anew(l Limiter) Limiter {
	if f := fresh(l); f != nil {
		return f
	}
	return l
}

// Fresh implements Fresher.
func (f *FixedWindow) Fresh() Limiter {
	return &FixedWindow{Policy: f.Policy, Aligned: f.Aligned, Elastic: f.Elastic}
}

// Fresh implements Fresher.
func (l *Linear) Fresh() Limiter {
	return &Linear{Policy: l.Policy, Strict: l.Strict, Penalty: l.Penalty}
}

// Fresh implements Fresher.
func (e *Exponential) Fresh() Limiter { return &Exponential{Policy: e.Policy, Strict: e.Strict} }

// Fresh implements Fresher.
func (l *SlidingLog) Fresh() Limiter {
	return &SlidingLog{Policy: l.Policy, Strict: l.Strict, FullReset: l.FullReset}
}

// Fresh implements Fresher.
func (c *SlidingCounter) Fresh() Limiter {
	return &SlidingCounter{Policy: c.Policy, Strict: c.Strict}
}

// Fresh implements Fresher.
func (b *TokenBucket) Fresh() Limiter {
	return &TokenBucket{Policy: b.Policy, Capacity: b.Capacity, Step: b.Step, FullReset: b.FullReset}
}

// Fresh implements Fresher.
func (c *Concurrency) Fresh() Limiter {
	return &Concurrency{Policy: c.Policy, RetryAfter: c.RetryAfter}
}

// Fresh implements Fresher.
func (a *all) Fresh() Limiter {
	parts := make([]Limiter, len(a.parts))
	for i, l := range a.parts {
		if parts[i] = fresh(l); parts[i] == nil {
			return nil
		}
	}
	return All(parts...)
}

// Fresh implements Fresher.
func (i *instead) Fresh() Limiter {
	usual, other := fresh(i.usual), fresh(i.other)
	if usual == nil || other == nil {
		return nil
	}
	return Instead(usual, other, i.span.from, i.span.until)
}

// Fresh implements Fresher.
func (p *pushBack) Fresh() Limiter {
	if l := fresh(p.limiter); l != nil {
		return PushBack(l, p.span.from, p.span.until)
	}
	return nil
}

// Fresh implements Fresher.
func (b *ban) Fresh() Limiter {
	if l := fresh(b.limiter); l != nil {
		return Ban(l, b.after, b.length)
	}
	return nil
}

// Fresh implements Fresher.
func (t *told) Fresh() Limiter {
	if l := fresh(t.limiter); l != nil {
		return telling(l, t.tell)
	}
	return nil
}
