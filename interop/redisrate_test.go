package interop_test

import (
	"context"
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

// redisRates are redis_rate, which is GCRA in a script of Redis, by its clock. It has no middleware: the one of its
// README tells what remains alone.
func redisRates() []server {
	rates := func(name string, limit redis_rate.Limit, windows int, tell func(h http.Header, r *redis_rate.Result)) server {
		return server{
			name:   "redis_rate, " + name,
			module: "github.com/go-redis/redis_rate/v10",
			quota:  limit.Rate, window: limit.Period, windows: windows,
			tells: true,
			start: func(api http.Handler) (http.Handler, func(), error) {
				store := miniredis.NewMiniRedis()
				client := redis.NewClient(&redis.Options{
					Addr:                     "redis.test:6379",
					Dialer:                   func(context.Context, string, string) (net.Conn, error) { return store.Dial() }, // a pipe, which a bubble can see
					MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},               // which would look that name up
				})
				limited := redisLimited(redis_rate.NewLimiter(client), limit, tell, api)
				return limited, func() { _ = client.Close(); store.Close() }, nil
			},
		}
	}
	second, minute := redis_rate.PerSecond(10), redis_rate.PerMinute(100)
	return []server{
		rates("10 per second, its guide's middleware", second, 15, tellRemaining),
		rates("100 per minute, its guide's middleware", minute, 3, tellRemaining),
		rates("100 per minute, with reset", minute, 3, tellAll),
	}
}

// redisLimited is the middleware of redis_rate's README.
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
