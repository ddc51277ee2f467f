package validate

import (
	"net/http"
	"time"
)

// throttled reports whether a response refuses the request because of a limit.
// A 403 is mostly about permission, so it needs proof. A Retry-After of 0 is
// none: there are servers that send it with every response while quota is left.
func throttled(status int, retryAfter time.Duration, limits []Limit) bool {
	switch status {
	case http.StatusTooManyRequests:
		return true
	case http.StatusServiceUnavailable:
		return retryAfter != Unknown
	case http.StatusForbidden:
		return retryAfter > 0 || exhausted(limits)
	}
	return false
}

func exhausted(limits []Limit) bool {
	for i := range limits {
		if limits[i].Remaining == 0 {
			return true
		}
	}
	return false
}
