package gate

import (
	"net/http"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
)

// A Pricer determines the cost of one request: how many units of each quota it uses. The request's context comes first,
// then the caller's function, then the request itself. It is called without a lock held, as Func is the caller's code.
type Pricer struct {
	Request *http.Request
	Context map[limits.Unit]int64                  // from the request's context; a negative value counts as absent
	Func    func(*http.Request, limits.Unit) int64 // the caller's, nil if there is none; a negative result means unknown
}

// set sets c to the request's cost in requests and in the units. Only the first pacer.MaxOthers units count.
func (p *Pricer) set(c *pacer.Cost, units []limits.Unit) {
	c.Requests, c.Others = 1, nil
	if p.Context != nil || p.Func != nil {
		c.Requests = p.of(limits.Requests)
	}
	if len(units) == 0 {
		return
	}
	// The cost in units that the partition gets to know later is unknown.
	c.Others = &[pacer.MaxOthers]int64{pacer.Unknown, pacer.Unknown, pacer.Unknown}
	for i, unit := range units {
		c.Others[i] = p.of(unit)
	}
}

// of is the cost of the request in a unit; negative if it is unknown.
func (p *Pricer) of(unit limits.Unit) int64 {
	if p.Context != nil {
		if n, ok := p.Context[unit]; ok && n >= 0 {
			return min(n, pacer.MostCost)
		}
	}
	if p.Func != nil {
		if n := p.Func(p.Request, unit); n >= 0 {
			return min(n, pacer.MostCost)
		}
	}
	switch unit {
	case limits.Requests:
		return 1
	case limits.ContentBytes: // without content the server may count that of the response
		if req := p.Request; req.Body != nil && req.Body != http.NoBody && req.ContentLength != 0 {
			return req.ContentLength
		}
	}
	return pacer.Unknown
}
