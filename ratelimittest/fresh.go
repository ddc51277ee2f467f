package ratelimittest

import "reflect"

// A Fresher is a Limiter that can be copied without its state. Fresh returns a Limiter with the same settings
// that has decided nothing yet, or nil if there is none. Fresh must return the type on which it is called;
// another type counts as nil.
//
// Run, Batch.Optimum and Granted use fresh copies. So one Limiter describes a server that is first run, and
// then compared with what it would have granted. It does not matter what that Limiter has decided before.
//
// All Limiters of this package are Freshers, except LimiterFunc and Limiters that contain one, because the
// function may have state. A type that embeds a Fresher, such as *FixedWindow, is no Fresher unless it
// defines Fresh itself: the embedded Fresh returns a FixedWindow, without the type's own Take.
type Fresher interface {
	Limiter
	Fresh() Limiter
}

// fresh returns a Limiter like l that has decided nothing yet, or nil.
func fresh(l Limiter) Limiter {
	if f, ok := l.(Fresher); ok {
		if again := f.Fresh(); reflect.TypeOf(again) == reflect.TypeOf(l) {
			return again
		}
	}
	return nil
}

// freshOrSame returns a Limiter like l that has decided nothing yet. If there is none, it returns l, and the
// caller must document that.
func freshOrSame(l Limiter) Limiter {
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
func (a *altered) Fresh() Limiter {
	if l := fresh(a.limiter); l != nil {
		return altering(l, a.alter)
	}
	return nil
}
