package interop_test

import (
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/validate"
)

// A client is a kind of client that is measured.
type client struct {
	name string
	// make returns a client that sends through base. It draws its random numbers from rng only, which no
	// other client uses.
	make func(base http.RoundTripper, rng *rand.Rand, profiles []validate.Profile) http.RoundTripper
}

// tries bounds how often both kinds of client send a request again.
const tries = 10

var (
	paced = client{"headway", func(base http.RoundTripper, rng *rand.Rand, profiles []validate.Profile) http.RoundTripper {
		return kit.SeededBy(rng, &headway.Transport{Base: base, MaxRetries: tries, Profiles: profiles})
	}}
	plain = client{"plain retry", func(base http.RoundTripper, rng *rand.Rand, _ []validate.Profile) http.RoundTripper {
		c := retryablehttp.NewClient()
		c.HTTPClient = &http.Client{Transport: base}
		c.Logger = nil
		c.RetryMax, c.RetryWaitMin, c.RetryWaitMax = tries, time.Second/2, 30*time.Second
		c.ErrorHandler = retryablehttp.PassthroughErrorHandler
		c.Backoff = jittered(rand.New(rand.NewPCG(rng.Uint64(), rng.Uint64())))
		return &retryablehttp.RoundTripper{Client: c}
	}}
)

// jittered is the default backoff of retryablehttp: the wait is Retry-After, and without one it doubles with
// each try. jittered moves a doubling wait by up to half at random, so that workers do not come back
// together.
func jittered(rng *rand.Rand) retryablehttp.Backoff {
	var mu sync.Mutex
	return func(least, most time.Duration, try int, resp *http.Response) time.Duration {
		d := retryablehttp.DefaultBackoff(least, most, try, resp)
		if resp != nil && resp.Header.Get("Retry-After") != "" {
			return d
		}
		mu.Lock()
		defer mu.Unlock()
		return d/2 + time.Duration(rng.Float64()*float64(d))
	}
}
