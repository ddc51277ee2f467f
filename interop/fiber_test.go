package interop_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/gofiber/fiber/v3"
	"github.com/gofiber/fiber/v3/middleware/adaptor"
	fiberlimiter "github.com/gofiber/fiber/v3/middleware/limiter"
	"github.com/gofiber/utils/v2"
)

// fibers are set-ups of gofiber's limiter. It counts in whole seconds, by a clock that ticks once a second.
func fibers() []server {
	const coarse = "Times are whole seconds of a clock that ticks once a second, so they are up to 1 s late. A refusal reports no limit"
	rates := func(name string, quota int, window time.Duration, algorithm fiberlimiter.Handler, windows int, wrong string) server {
		return server{
			name:  "fiber, " + name,
			from:  "github.com/gofiber/fiber/v3",
			setUp: fmt.Sprintf("`limiter.New(limiter.Config{Max: %d, Expiration: %s, LimiterMiddleware: %T{}})`", quota, goDuration(window), algorithm),
			wrong: wrong,
			quota: quota, window: window, windows: windows,
			reports: true,
			start: func(api http.Handler) (http.Handler, func(), error) {
				app := fiber.New()
				app.Use(fiberlimiter.New(fiberlimiter.Config{
					Max: quota, Expiration: window, LimiterMiddleware: algorithm, Storage: &fiberStore{kept: map[string]fiberItem{}},
				}))
				app.Use(adaptor.HTTPHandler(api))
				return adaptor.FiberApp(app), utils.StopTimeStampUpdater, nil
			},
		}
	}
	return []server{
		rates("fixed window", 20, 30*time.Second, fiberlimiter.FixedWindow{}, 5, coarse),
		rates("sliding window", 20, 30*time.Second, fiberlimiter.SlidingWindow{}, 5,
			coarse+". The reset and `Retry-After` are when requests begin to fade: all quota is back a window later. Refused requests count"),
		rates("5 per minute, its default", 5, time.Minute, fiberlimiter.FixedWindow{}, 12, coarse),
	}
}

// A fiberStore is a fiber.Storage, like one on Redis, with what the limiter calls. The limiter's own storage has a goroutine
// that cannot be ended, which a synctest bubble does not allow.
type fiberStore struct {
	fiber.Storage

	mu   sync.Mutex
	kept map[string]fiberItem // guarded by mu
}

type fiberItem struct {
	value   []byte
	expires time.Time
}

func (s *fiberStore) GetWithContext(_ context.Context, key string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	item := s.kept[key]
	if !time.Now().Before(item.expires) {
		return nil, nil // as fiber.Storage requires
	}
	return item.value, nil
}

func (s *fiberStore) SetWithContext(_ context.Context, key string, value []byte, keep time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept[strings.Clone(key)] = fiberItem{bytes.Clone(value), time.Now().Add(keep)}
	return nil
}
