package interop_test

import (
	"context"
	"fmt"
	"math"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/go-redis/redis_rate/v10"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// redisRates are set-ups of redis_rate: GCRA in a Redis script, by Redis's clock. It has no middleware. The
// one in its guide reports the remaining quota, and nothing else.
func redisRates() []server {
	rates := func(name string, limit redis_rate.Limit, windows int, tell func(h http.Header, r *redis_rate.Result), wrong string) server {
		return server{
			name:  "redis_rate, " + name,
			from:  "github.com/go-redis/redis_rate/v10",
			setUp: fmt.Sprintf("`limiter.Allow(ctx, key, redis_rate.Limit{Rate: %d, Burst: %d, Period: %s})`, on miniredis", limit.Rate, limit.Burst, goDuration(limit.Period)),
			wrong: wrong,
			quota: limit.Rate, window: limit.Period, windows: windows,
			reports: true,
			start: func(api http.Handler) (http.Handler, func(), error) {
				store := miniredis.NewMiniRedis()
				client := redis.NewClient(&redis.Options{
					Addr:                     "redis.test:6379",
					Dialer:                   func(context.Context, string, string) (net.Conn, error) { return store.Dial() }, // a pipe, which works in a synctest bubble
					MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},               // other modes look up the name
				})
				limited := redisLimited(redis_rate.NewLimiter(client), limit, tell, api)
				return limited, func() { _ = client.Close(); store.Close() }, nil
			},
		}
	}
	const (
		inexact     = "It calculates in floating point, so one request fewer remains, and may be allowed, than is true. The reset is when all quota is back"
		remainsOnly = "No limit and no reset. The time to wait has a name of its own and is cut to seconds, so it is mostly 0. " + inexact
	)
	second, minute := redis_rate.PerSecond(10), redis_rate.PerMinute(100)
	return []server{
		rates("10 per second, its guide's middleware", second, 15, tellRemaining, remainsOnly),
		rates("100 per minute, its guide's middleware", minute, 3, tellRemaining, remainsOnly),
		rates("100 per minute, with reset", minute, 3, tellAll, inexact),
	}
}

// redisLimited is a middleware like the one in redis_rate's guide.
func redisLimited(limiter *redis_rate.Limiter, limit redis_rate.Limit, tell func(http.Header, *redis_rate.Result), api http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		result, err := limiter.Allow(r.Context(), "one", limit)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		tell(w.Header(), result)
		if result.Allowed == 0 {
			w.Header().Set("RateLimit-RetryAfter", strconv.Itoa(int(result.RetryAfter/time.Second)))
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		api.ServeHTTP(w, r)
	})
}

func tellRemaining(h http.Header, r *redis_rate.Result) {
	h.Set("RateLimit-Remaining", strconv.Itoa(r.Remaining))
}

func tellAll(h http.Header, r *redis_rate.Result) {
	tellRemaining(h, r)
	h.Set("RateLimit-Limit", strconv.Itoa(r.Limit.Rate))
	h.Set("RateLimit-Reset", strconv.Itoa(int(math.Ceil(r.ResetAfter.Seconds()))))
	if r.Allowed == 0 {
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(r.RetryAfter.Seconds()))))
	}
}
