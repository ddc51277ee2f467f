package gate

import "github.com/headway-go/headway/pacer"

// Forecast returns when the first and the last of n visits like v could start, if all came at now. It changes nothing, but for
// the price of v, which goes nowhere.
func (p *Partition) Forecast(v *Visit, n int64) (f pacer.Forecast, now pacer.Instant) {
	v.price(p.units())
	p.mu.Lock()
	defer p.mu.Unlock()
	now = max(p.settings.Clock.Now(), p.latest)
	v.cost.Route = p.routes.Known(v.Price.Request.Method, v.Price.Request.URL)
	if !p.pacer.HasLimits() {
		v.cost.Route = min(v.cost.Route, 1)
	}
	var ahead int64
	if !p.queue.isEmpty() {
		ahead = p.queue.ahead(&waiter{called: now, priority: v.Priority, kind: p.kindOf(&v.cost), cost: v.cost})
	}
	return p.forecast(now, ahead, n, &v.cost), now
}

// forecast returns when the first and the last of n requests could start behind the requests ahead.
func (p *Partition) forecast(now pacer.Instant, ahead, n int64, cost *pacer.Cost) pacer.Forecast {
	f := p.pacer.Forecast(now, ahead, n, cost)
	if c := p.settings.Ceiling; c != nil {
		if token := c.wait(c.delay(ahead + 1)); token.At > f.First.At {
			f.First = token.Plan
		}
		if token := c.wait(c.delay(ahead + n)); token.At > f.Last.At {
			f = pacer.Forecast{First: f.First, Last: token.Plan, IsReported: true}
		}
	}
	return f
}
