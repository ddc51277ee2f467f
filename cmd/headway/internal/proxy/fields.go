package proxy

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/parse"
)

// The request fields by which a client says how its request is to be paced. They are for the proxy alone: no field that
// begins with Headway- reaches an upstream.
const (
	priorityField = "Headway-Priority" // a whole number, see headway.WithPriority
	costField     = "Headway-Cost"     // a list such as "tokens=1200, requests=2", see headway.WithCost
	maxWaitField  = "Headway-Max-Wait" // a duration such as "2s" or "1m30s", see headway.WithMaxWait
	fieldPrefix   = "Headway-"
)

// A fieldError says which request field cannot be read. It does not show the value.
type fieldError struct{ field, want string }

func (e *fieldError) Error() string { return fmt.Sprintf("the field %s must be %s", e.field, e.want) }

// withFields returns the context of a request with what its fields say. A request waits for maxWait at most, whatever the
// field says; negative means that the field alone bounds the wait. The error is a *fieldError.
func withFields(ctx context.Context, h http.Header, maxWait time.Duration) (context.Context, error) {
	if text := h.Get(priorityField); text != "" {
		priority, err := strconv.Atoi(text)
		if err != nil {
			return nil, &fieldError{priorityField, "a whole number such as 5 or -1"}
		}
		ctx = headway.WithPriority(ctx, priority)
	}
	for _, list := range h[costField] {
		for item := range strings.SplitSeq(list, ",") {
			unit, text, _ := strings.Cut(strings.TrimSpace(item), "=")
			n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
			if err != nil || n < 0 || strings.TrimSpace(unit) == "" {
				return nil, &fieldError{costField, "a list of costs such as tokens=1200, requests=2"}
			}
			ctx = headway.WithCost(ctx, parse.Unit(strings.TrimSpace(unit)), n)
		}
	}
	if text := h.Get(maxWaitField); text != "" {
		d, err := time.ParseDuration(text)
		if err != nil || d < 0 {
			return nil, &fieldError{maxWaitField, "a duration such as 2s or 1m30s"}
		}
		if maxWait >= 0 {
			d = min(d, maxWait)
		}
		ctx = headway.WithMaxWait(ctx, max(d, 1)) // 0 would mean the default
	}
	return ctx, nil
}

// removeFields removes the fields for the proxy.
func removeFields(h http.Header) {
	for name := range h {
		if strings.HasPrefix(name, fieldPrefix) {
			delete(h, name)
		}
	}
}
