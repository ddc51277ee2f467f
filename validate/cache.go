package validate

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// cachedBy returns the name of the field that shows that a response comes from
// a cache, "" if none does. A positive Age means that the origin did not answer
// this very request (RFC 9111 §5.1); HTTP caches inside a client, for which
// nothing is standardised, set X-From-Cache to 1.
func cachedBy(h http.Header) string {
	if age(h) > 0 {
		return "Age"
	}
	if fromCache(h) {
		return "X-From-Cache"
	}
	return ""
}

func fromCache(h http.Header) bool {
	lines := h["X-From-Cache"]
	if len(lines) == 0 {
		return false
	}
	yes, err := strconv.ParseBool(lines[0])
	return yes && err == nil
}

// oldest is the greatest Age there is (RFC 9111 §1.2.2).
const oldest = 1 << 31

// age returns the response's Age, 0 if there is none that can be read. Of
// several values the first counts (RFC 9111 §5.1).
func age(h http.Header) time.Duration {
	lines := h["Age"]
	if len(lines) == 0 {
		return 0
	}
	value, _, _ := strings.Cut(lines[0], ",")
	value = strings.Trim(value, " \t")
	seconds := int64(0)
	for i := range len(value) {
		if value[i] < '0' || value[i] > '9' {
			return 0
		}
		seconds = min(seconds*10+int64(value[i]-'0'), oldest)
	}
	return time.Duration(seconds) * time.Second
}
