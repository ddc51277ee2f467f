package ratelimittest

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Percent is the dialect of Facebook's Graph API: how much of a quota is used, in percent, without the quota and
// the reset. call_count is the tightest limit of requests, and the other two are that of all other units:
//
//	X-App-Usage: {"call_count":28,"total_cputime":25,"total_time":25}
//
// The percentages are rounded up. A quota of 0 is used up.
func Percent(h http.Header, _ time.Time, d Decision) {
	if len(d.Limits) == 0 {
		return
	}
	calls, others := int64(0), int64(0)
	for _, l := range d.Limits {
		if dimension(l.Unit) == UnitRequests {
			calls = max(calls, percentUsed(l))
		} else {
			others = max(others, percentUsed(l))
		}
	}
	h.Set("X-App-Usage", fmt.Sprintf(`{"call_count":%d,"total_cputime":%d,"total_time":%d}`, calls, others, others))
}

// percentUsed returns how much of a quota is used, from 0 to 100, rounded up.
func percentUsed(l Limit) int64 {
	if l.Quota <= 0 {
		return 100
	}
	left := min(max(l.Remaining, 0), l.Quota)
	return 100 - mulDiv(left, 100, l.Quota)
}

// Pairs is the dialect of Riot's APIs: pairs of a number and a window in seconds, one for each limit with a
// window. The second field has the units that are used:
//
//	X-App-Rate-Limit: 20:1,100:120
//	X-App-Rate-Limit-Count: 1:1,1:120
func Pairs(h http.Header, _ time.Time, d Decision) {
	var quotas, used []string
	for _, l := range d.Limits {
		if l.Window > 0 {
			quotas = append(quotas, count(l.Quota)+":"+seconds(l.Window))
			used = append(used, count(max(l.Quota-l.Remaining, 0))+":"+seconds(l.Window))
		}
	}
	if len(quotas) > 0 {
		h.Set("X-App-Rate-Limit", strings.Join(quotas, ","))
		h.Set("X-App-Rate-Limit-Count", strings.Join(used, ","))
	}
}
