// Package ownlimits has examples of functions for headway.Transport.Limits: of APIs that tell their limits in the bodies of
// responses, or as JSON in a header field. Copy the one that you need. docs/limits-of-your-own.md explains them.
package ownlimits

import (
	"encoding/json"
	"math"
	"net/http"
	"time"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/validate"
)

// Shopify reads the bucket of points in the responses of Shopify's GraphQL API. A refusal has status 200 there.
func Shopify(resp *http.Response) (r validate.Reading) {
	var answer struct {
		Errors     []struct{ Extensions struct{ Code string } }
		Extensions struct {
			Cost struct {
				RequestedQueryCost float64
				ThrottleStatus     struct{ MaximumAvailable, CurrentlyAvailable, RestoreRate float64 }
			}
		}
	}
	if json.NewDecoder(resp.Body).Decode(&answer) != nil || answer.Extensions.Cost.ThrottleStatus.RestoreRate <= 0 {
		return r
	}
	cost, bucket := answer.Extensions.Cost.RequestedQueryCost, answer.Extensions.Cost.ThrottleStatus
	fill := func(points float64) time.Duration {
		return time.Duration(points / bucket.RestoreRate * float64(time.Second))
	}
	r.Limits = []limits.Reported{{
		Policy: "points", Unit: "points", Quota: int64(bucket.MaximumAvailable),
		Remaining: int64(bucket.CurrentlyAvailable), Window: fill(bucket.MaximumAvailable),
	}}
	if len(answer.Errors) > 0 && answer.Errors[0].Extensions.Code == "THROTTLED" {
		r.Verdict, r.RetryAfter = validate.VerdictWait, fill(cost-bucket.CurrentlyAvailable)
	}
	return r
}

// GitHub reads the points of GitHub's GraphQL API, if the query asks for them: rateLimit { limit remaining resetAt }.
func GitHub(resp *http.Response) (r validate.Reading) {
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
		r.Limits = []limits.Reported{{
			Policy: "points", Unit: "points", Quota: l.Limit, Remaining: l.Remaining,
			Window: time.Hour, Reset: validate.Until(resp, time.Now(), l.ResetAt),
		}}
	}
	if len(answer.Errors) > 0 && answer.Errors[0].Type == "RATE_LIMITED" {
		r.Verdict, r.RetryAfter = validate.VerdictWait, time.Minute // GitHub asks for a minute at least
	}
	return r
}

// Facebook reads X-App-Usage of Facebook's and Instagram's Graph API: what is used of a rolling hour, in percent. The
// service refuses when one of the percentages reaches 100.
func Facebook(resp *http.Response) (r validate.Reading) {
	var used struct {
		Calls float64 `json:"call_count"`
		Time  float64 `json:"total_time"`
		CPU   float64 `json:"total_cputime"`
	}
	if json.Unmarshal([]byte(resp.Header.Get("X-App-Usage")), &used) != nil {
		return r
	}
	most := math.Ceil(max(used.Calls, used.Time, used.CPU))
	r.Limits = []limits.Reported{{
		Policy: "app", Unit: "percent", Quota: 100, Remaining: int64(100 - min(most, 100)), Window: time.Hour,
	}}
	return r
}
