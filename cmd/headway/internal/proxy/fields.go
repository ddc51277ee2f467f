package proxy

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/limits"
)

// The request fields by which a client says how its request is to be paced. They are for the proxy alone: no field that
// begins with Headway- reaches an upstream.
const (
	priorityField = "Headway-Priority" // a whole number, see headway.WithPriority
	costField     = "Headway-Cost"     // a list such as "tokens=1200, requests=2", see headway.WithCost
	maxWaitField  = "Headway-Max-Wait" // a duration such as "2s" or "1m30s", see headway.WithMaxWait
	fieldPrefix   = "Headway-"
)

// withFields returns the context of a request with what its fields say. A request waits for maxWait at most, whatever the
// field says; negative means that the field alone bounds the wait. Errors do not show a value.
func withFields(ctx context.Context, h http.Header, maxWait time.Duration) (context.Context, error) {
	if text := h.Get(priorityField); text != "" {
		priority, err := strconv.Atoi(text)
		if err != nil || len(h[priorityField]) > 1 {
			return nil, errors.New("the field " + priorityField + " must be a whole number such as 5 or -1")
		}
		ctx = headway.WithPriority(ctx, priority)
	}
	costs, err := costsOf(h)
	if err != nil {
		return nil, err
	}
	for unit, n := range costs {
		ctx = headway.WithCost(ctx, unit, n)
	}
	if text := h.Get(maxWaitField); text != "" {
		d, err := time.ParseDuration(text)
		if err != nil || d < 0 || len(h[maxWaitField]) > 1 {
			return nil, errors.New("the field " + maxWaitField + " must be a duration such as 2s or 1m30s")
		}
		if maxWait >= 0 {
			d = min(d, maxWait)
		}
		ctx = headway.WithMaxWait(ctx, max(d, 1)) // 0 would mean the default
	}
	return ctx, nil
}

// mostCosts bounds the units of one request. Each takes memory, and a partition counts four.
const mostCosts = 16

// costsOf reads the costs of a request. Of several costs in one unit the last one counts.
func costsOf(h http.Header) (map[limits.Unit]int64, error) {
	costs := map[limits.Unit]int64{}
	for item := range strings.SplitSeq(strings.Join(h[costField], ","), ",") {
		if item = strings.TrimSpace(item); item == "" { // as RFC 9110 §5.6.1 asks
			continue
		}
		unit, text, _ := strings.Cut(item, "=")
		n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
		unit = strings.TrimSpace(unit)
		costs[limits.Unit(unit)] = n
		if err != nil || n < 0 || unit == "" || len(costs) > mostCosts {
			return nil, fmt.Errorf("the field %s must be a list of costs such as tokens=1200, requests=2, of %d units at most", costField, mostCosts)
		}
	}
	return costs, nil
}

// removeFields removes the fields for the proxy, and those that an upstream may misread.
func removeFields(h http.Header) {
	for _, name := range disguises {
		delete(h, name)
	}
	for name := range h {
		if strings.HasPrefix(name, fieldPrefix) {
			delete(h, name)
		}
	}
}

// hasDoubtfulEnd reports whether a proxy in front of this one may have found the end of the request somewhere else. It may have
// a Content-Length beside its Transfer-Encoding, or a Transfer-Encoding in HTTP/1.0, which has none. net/http goes by the right
// one and removes the other, so nobody can see here whether both were there. RFC 9112 §6.1 asks to close the connection behind
// such a request. Otherwise what follows could be a request that was smuggled past that proxy.
func hasDoubtfulEnd(r *http.Request) bool {
	return len(r.TransferEncoding) > 0 || !r.ProtoAtLeast(1, 1)
}

// disguises are fields that CGI and its like take for Content-Length and Transfer-Encoding.
var disguises = [...]string{"Content_length", "Transfer_encoding"} //nolint:gochecknoglobals // it does not change
