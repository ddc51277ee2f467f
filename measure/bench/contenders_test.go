package bench_test

import (
	"net/http"
	"slices"
	"time"

	"github.com/PuerkitoBio/rehttp"
	"github.com/failsafe-go/failsafe-go/failsafehttp"
	"github.com/hashicorp/go-retryablehttp"
	"golang.org/x/time/rate"

	"github.com/headway-go/headway"
)

// A contender is a client that takes part in the comparison.
type contender struct {
	name   string
	module string // "": this one, or none
	setUp  string // its set-up, in Markdown, for the report
	// client makes a client that sends through base. It may use the facts about the
	// server.
	client func(base http.RoundTripper, known facts) http.RoundTripper
}

// ourName is headway's name.
const ourName = "headway"

// facts are what a client may know of the server in advance, as it cannot find out by itself.
type facts struct {
	every  time.Duration // one request per this time uses the client's share of the quota
	window time.Duration
	burst  int // how many requests may come at once after a long pause
}

// resends bounds the resends of a request, above what any needs, so that all work gets done.
const resends = 1000

func contenders() []contender {
	return []contender{
		us(),
		{
			"plain retry",
			"",
			"[retrier_test.go](../../measure/bench/retrier_test.go), the usual few lines: send; after a refusal wait for `Retry-After` and send again",
			func(base http.RoundTripper, _ facts) http.RoundTripper { return &retrier{base} },
		},
		{
			retryablePeer,
			"github.com/hashicorp/go-retryablehttp",
			"`RetryMax: 1000`; its default backoff waits for `Retry-After`",
			newRetryable,
		},
		{
			"rehttp",
			"github.com/PuerkitoBio/rehttp",
			"`RetryAll(RetryMaxRetries(1000), RetryStatuses(429))` and `ExpJitterDelay`, from a 60th of the window to all of it. It does not read `Retry-After`. With a `DelayFn` that reads it, it would be like plain retry",
			newRehttp,
		},
		{
			"failsafe-go",
			"github.com/failsafe-go/failsafe-go",
			"`failsafehttp.NewRetryPolicyBuilder().WithMaxRetries(1000)`, which reads `Retry-After`",
			newFailsafe,
		},
		{
			"AWS adaptive",
			"github.com/aws/aws-sdk-go-v2",
			"`retry.NewAdaptiveMode` in the SDK's own middleware, without a bound on attempts and without retry tokens. `MaxBackoff` is the window, as for rehttp. It does not read `Retry-After`",
			func(base http.RoundTripper, known facts) http.RoundTripper {
				return newPatientAdaptive(base, known.window)
			},
		},
		{
			toldLimiter,
			"golang.org/x/time",
			"`rate.NewLimiter` below plain retry. It is **configured with the exact rate and burst**, which all others have to find out. In a fleet the rate is an eighth. The burst is the quota with token buckets and for the 1000 requests of 5000 per hour. Else the burst is 1, because with more it is refused",
			newTold,
		},
	}
}

// toldLimiter returns the contender that knows the limit from the start.
const toldLimiter = "x/time/rate (configured)"

func us() contender {
	return contender{
		ourName,
		"",
		"`MaxRetries: 1000`, `MaxWait: -1`, and no other field",
		func(base http.RoundTripper, _ facts) http.RoundTripper {
			return &headway.Transport{Base: base, MaxRetries: resends, MaxWait: -1}
		},
	}
}

// measured returns headway with the settings for rare bursts.
func measured() contender {
	return contender{
		"headway, PaceMeasured",
		"",
		"as headway, and `Pacing: headway.PaceMeasured`, for work that comes in bursts",
		func(base http.RoundTripper, _ facts) http.RoundTripper {
			return &headway.Transport{Base: base, MaxRetries: resends, MaxWait: -1, Pacing: headway.PaceMeasured}
		},
	}
}

// everyone returns all contenders of any job.
func everyone() []contender { return slices.Insert(contenders(), 1, measured()) }

// retryablePeer returns the best-known contender.
const retryablePeer = "go-retryablehttp"

func newRetryable(base http.RoundTripper, _ facts) http.RoundTripper {
	return &retryablehttp.RoundTripper{Client: newRetryableClient(base)}
}

func newRetryableClient(base http.RoundTripper) *retryablehttp.Client {
	client := retryablehttp.NewClient()
	client.HTTPClient = &http.Client{Transport: base}
	client.RetryMax = resends
	client.Logger = nil
	return client
}

func newRehttp(base http.RoundTripper, known facts) http.RoundTripper {
	return rehttp.NewTransport(base,
		rehttp.RetryAll(rehttp.RetryMaxRetries(resends), rehttp.RetryStatuses(http.StatusTooManyRequests)),
		rehttp.ExpJitterDelay(known.window/60, known.window))
}

func newFailsafe(base http.RoundTripper, _ facts) http.RoundTripper {
	//nolint:bodyclose // it takes a builder of policies for a response
	return failsafehttp.NewRoundTripper(base, failsafehttp.NewRetryPolicyBuilder().WithMaxRetries(resends).Build())
}

func newTold(base http.RoundTripper, known facts) http.RoundTripper {
	return &retrier{&limited{base, rate.NewLimiter(rate.Every(known.every), known.burst)}}
}
