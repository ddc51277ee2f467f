// Package cost says what a request uses of each quota: what its context says, else what the caller's function
// says, else what the request shows.
package cost

import (
	"net/http"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
)

// A Pricer tells the cost of one request. It holds no lock while it calls Func.
type Pricer struct {
	Request *http.Request
	Said    map[limits.Unit]int64                  // by the request's context; what is negative is not said
	Func    func(*http.Request, limits.Unit) int64 // nil: none; a negative answer: not known
	Key     string                                 // the partition key of the quotas that it uses; "": not known
}

// Set sets what c says of requests and of the other units that a partition counts, and the key. At most
// pacer.MaxOthers units count.
func (p *Pricer) Set(c *pacer.Cost, units []limits.Unit) {
	c.Requests, c.Key, c.Others = p.of(limits.Requests), p.Key, nil
	if len(units) == 0 {
		return
	}
	// Unknown is the cost in units that come later.
	c.Others = &[pacer.MaxOthers]int64{pacer.Unknown, pacer.Unknown, pacer.Unknown}
	for i, unit := range units {
		c.Others[i] = p.of(unit)
	}
}

// of is what the request uses of a unit; negative if it is not known.
func (p *Pricer) of(unit limits.Unit) int64 {
	if p.Said != nil {
		if n, ok := p.Said[unit]; ok && n >= 0 {
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
	case limits.ContentBytes:
		return contentLength(p.Request)
	}
	return pacer.Unknown
}

// contentLength is the length of a request's content, as in http.Transport; Unknown if it is not known, or there is
// none: then the server may count the content of the response.
func contentLength(req *http.Request) int64 {
	if req.Body == nil || req.Body == http.NoBody || req.ContentLength == 0 {
		return pacer.Unknown
	}
	return req.ContentLength
}
