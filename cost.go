package headway

import (
	"net/http"

	"github.com/headway-go/headway/pacer"
	"github.com/headway-go/headway/parse"
)

// price sets what the request costs, in the units that its partition counts.
func (c *call) price(units []string) {
	c.units, c.cost = units, pacer.Cost{Requests: c.costIn(parse.Requests), Key: c.cost.Key}
	if len(units) == 0 {
		return
	}
	// Unknown is the cost in units that come later.
	c.cost.Others = &[pacer.MaxOthers]int64{pacer.Unknown, pacer.Unknown, pacer.Unknown}
	for i, unit := range units {
		c.cost.Others[i] = c.costIn(parse.Unit(unit))
	}
}

// costIn is what the request uses of a unit; negative if it is not known.
func (c *call) costIn(unit parse.Unit) int64 {
	if c.options != nil {
		if n, ok := c.options.costs[unit]; ok && n >= 0 {
			return min(n, pacer.MostCost)
		}
	}
	if c.Cost != nil {
		if n := c.Cost(c.req, unit); n >= 0 {
			return min(n, pacer.MostCost)
		}
	}
	switch unit {
	case parse.Requests:
		return 1
	case parse.ContentBytes:
		return contentLength(c.req)
	}
	return pacer.Unknown
}

// contentLength is the length of a request's content, as in http.Transport; −1 if
// it is not known, or there is none: then the server may count that of the response.
func contentLength(req *http.Request) int64 {
	if req.Body == nil || req.Body == http.NoBody || req.ContentLength == 0 {
		return -1
	}
	return req.ContentLength
}
