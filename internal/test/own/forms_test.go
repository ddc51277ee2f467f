package own

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/validate"
)

// bucketLimits reads the body of ratelimittest.CostBody.
func bucketLimits(resp *http.Response) (r headway.Reported) {
	var answer struct {
		Errors     []struct{ Extensions struct{ Code string } }
		Extensions struct {
			Cost struct {
				RequestedQueryCost float64
				ThrottleStatus     struct{ MaximumAvailable, CurrentlyAvailable, RestoreRate float64 }
			}
		}
	}
	if json.NewDecoder(resp.Body).Decode(&answer) != nil {
		return r
	}
	cost := &answer.Extensions.Cost
	if s := cost.ThrottleStatus; s.RestoreRate > 0 {
		r.Limits = []limits.Told{{
			Policy: "cost", Unit: "points", Quota: int64(s.MaximumAvailable), Remaining: int64(s.CurrentlyAvailable),
			Window: seconds(s.MaximumAvailable / s.RestoreRate),
		}}
		if len(answer.Errors) > 0 && answer.Errors[0].Extensions.Code == "THROTTLED" {
			r.Throttled, r.RetryAfter = true, seconds((cost.RequestedQueryCost-s.CurrentlyAvailable)/s.RestoreRate)
		}
	}
	return r
}

func seconds(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }

// pointLimits reads the body of ratelimittest.PointsBody.
func pointLimits(resp *http.Response) (r headway.Reported) {
	var answer struct {
		Errors []struct{ Type string }
		Data   struct {
			RateLimit *struct {
				Limit, Remaining int64
				ResetAt          time.Time
			}
		}
	}
	if json.NewDecoder(resp.Body).Decode(&answer) != nil {
		return r
	}
	if l := answer.Data.RateLimit; l != nil {
		reset := validate.Until(resp, time.Now(), l.ResetAt)
		r.Limits = []limits.Told{{Policy: "points", Unit: "points", Quota: l.Limit, Remaining: l.Remaining, Window: time.Hour, Reset: reset}}
	}
	if len(answer.Errors) > 0 && answer.Errors[0].Type == "RATE_LIMITED" {
		r.Throttled, r.RetryAfter = true, time.Minute // GitHub asks for a minute at least
	}
	return r
}

// waits reads the body of ratelimittest.RetryAfterBody.
func waits(resp *http.Response) (r headway.Reported) {
	var answer struct {
		Parameters struct {
			RetryAfter int64 `json:"retry_after"`
		}
	}
	if json.NewDecoder(resp.Body).Decode(&answer) == nil {
		r.RetryAfter = time.Duration(answer.Parameters.RetryAfter) * time.Second
	}
	return r
}

// percentLimits reads the field of ratelimittest.Percent. The quota is one of percents, as the server tells no other.
func percentLimits(resp *http.Response) (r headway.Reported) {
	var usage struct {
		Calls float64 `json:"call_count"`
	}
	if json.Unmarshal([]byte(resp.Header.Get("X-App-Usage")), &usage) == nil {
		left := int64(math.Max(100-usage.Calls, 0))
		r.Limits = []limits.Told{{Policy: "app", Unit: "percent", Quota: 100, Remaining: left, Window: time.Hour}}
	}
	return r
}

// pairLimits reads the fields of ratelimittest.Pairs.
func pairLimits(resp *http.Response) (r headway.Reported) {
	used := strings.Split(resp.Header.Get("X-App-Rate-Limit-Count"), ",")
	for i, pair := range strings.Split(resp.Header.Get("X-App-Rate-Limit"), ",") {
		var quota, window, n, w int64
		if _, err := fmt.Sscanf(pair, "%d:%d", &quota, &window); err != nil || i >= len(used) {
			continue
		}
		l := limits.Told{Policy: "app " + pair, Quota: quota, Remaining: limits.Unknown, Window: time.Duration(window) * time.Second}
		if _, err := fmt.Sscanf(used[i], "%d:%d", &n, &w); err == nil && w == window {
			l.Remaining = max(quota-n, 0)
		}
		r.Limits = append(r.Limits, l)
	}
	return r
}
