package gogithub_test

import (
	"net/http"
	"strconv"
	"time"

	"github.com/headway-go/headway/examples/sdks/internal/sdktest"
	"github.com/headway-go/headway/ratelimittest"
)

const (
	primary   = `{"message":"API rate limit exceeded for user ID 1.","documentation_url":"https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api"}`
	secondary = `{"message":"You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",` +
		`"documentation_url":"https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits"}`
)

// limited makes a handler refuse as GitHub does: with 403, and without Retry-After.
func limited(h *ratelimittest.Handler) {
	h.Dialect, h.RetryAfter = dialect, ratelimittest.Silent
	h.Refuse = sdktest.JSON(http.StatusForbidden, primary)
	h.Next = sdktest.JSON(http.StatusOK, `{"id":1,"full_name":"golang/go"}`)
}

// dialect writes GitHub's fields: the reset is an epoch, and a field names the resource that the numbers
// belong to.
func dialect(h http.Header, now time.Time, d ratelimittest.Decision) {
	ratelimittest.XRateLimit(h, now, d)
	for _, l := range d.Limits {
		h.Set("X-RateLimit-Used", strconv.FormatInt(l.Quota-l.Remaining, 10))
		h.Set("X-RateLimit-Resource", l.Policy)
	}
}

func core(quota int64, window time.Duration) *ratelimittest.FixedWindow {
	return &ratelimittest.FixedWindow{Policy: ratelimittest.Policy{Name: "core", Quota: quota, Window: window}}
}

// fields returns the fields of a limit of 5000, with its reset in seconds since 1970, and further ones.
func fields(remaining, reset int64, more ...string) []string {
	return append([]string{
		"X-RateLimit-Limit", "5000",
		"X-RateLimit-Remaining", strconv.FormatInt(remaining, 10),
		"X-RateLimit-Reset", strconv.FormatInt(reset, 10),
		"X-RateLimit-Resource", "core",
	}, more...)
}
