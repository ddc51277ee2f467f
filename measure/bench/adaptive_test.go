package bench_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

// Adaptive is an http.RoundTripper that sends requests as the AWS SDK does in its adaptive retry mode. The
// retryer, its middleware and the handler that sends are the SDK's. Adaptive replaces only the code that is
// generated for each service. It turns a refusal into an error with a code of AWS, as the SDK decides by these
// codes and does not read Retry-After. Requests must have no body.
type Adaptive struct {
	attempts *retry.Attempt
	sender   smithyhttp.ClientHandler
}

// newPatientAdaptive returns an Adaptive that sends each request until it succeeds, with a longest delay between two
// attempts. 0 attempts mean no bound.
func newPatientAdaptive(base http.RoundTripper, longest time.Duration) http.RoundTripper {
	mode := retry.NewAdaptiveMode(func(o *retry.AdaptiveModeOptions) {
		o.StandardOptions = append(o.StandardOptions, func(o *retry.StandardOptions) {
			o.RateLimiter, o.MaxBackoff = ratelimit.None, longest
		})
	})
	return adaptive(base, retry.AddWithMaxAttempts(mode, 0).(aws.RetryerV2))
}

// newSilentAdaptive returns a patient Adaptive with the SDK's own longest delay, for servers that report nothing.
func newSilentAdaptive(base http.RoundTripper) http.RoundTripper {
	return newPatientAdaptive(base, retry.DefaultMaxBackoff)
}

func adaptive(base http.RoundTripper, retryer aws.RetryerV2) *Adaptive {
	return &Adaptive{
		attempts: retry.NewAttemptMiddleware(ticking{retryer}, smithyhttp.RequestCloner),
		sender:   smithyhttp.NewClientHandlerWithOptions(&http.Client{Transport: base}),
	}
}

// RoundTrip implements http.RoundTripper. Its errors are the SDK's.
func (a *Adaptive) RoundTrip(req *http.Request) (*http.Response, error) {
	in := middleware.FinalizeInput{Request: &smithyhttp.Request{Request: req}}
	out, _, err := a.attempts.HandleFinalize(req.Context(), in, middleware.FinalizeHandlerFunc(a.attempt))
	if err != nil {
		return nil, err
	}
	return out.Result.(*smithyhttp.Response).Response, nil
}

// attempt sends a request once.
func (a *Adaptive) attempt(ctx context.Context, in middleware.FinalizeInput) (out middleware.FinalizeOutput, m middleware.Metadata, err error) {
	out.Result, m, err = a.sender.Handle(ctx, in.Request)
	if err != nil {
		return out, m, err
	}
	resp := out.Result.(*smithyhttp.Response)
	code := errorCode(resp.StatusCode)
	if code == "" {
		return out, m, nil
	}
	message, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return out, m, fmt.Errorf("the body of a refusal: %w", err)
	}
	return out, m, &smithyhttp.ResponseError{
		Response: resp,
		Err:      &smithy.GenericAPIError{Code: code, Message: string(message)},
	}
}

// errorCode returns the error code of AWS's services for a refusal with this status; "" if it is no refusal. The
// codes are those of API Gateway and Lambda, and of S3. The SDK takes both as throttles.
func errorCode(status int) string {
	switch status {
	case http.StatusTooManyRequests:
		return "TooManyRequestsException"
	case http.StatusServiceUnavailable:
		return "SlowDown"
	}
	return ""
}

// A ticking retryer lets time pass while AdaptiveMode waits for a token. AdaptiveMode waits for the missing part of
// the token, in whole nanoseconds, and looks again. For less than a nanosecond it does not wait. A real clock moves on
// anyway, but a bubble's does not, so AdaptiveMode would loop for ever.
type ticking struct{ aws.RetryerV2 }

// GetAttemptToken implements aws.RetryerV2.
func (r ticking) GetAttemptToken(ctx context.Context) (release func(error) error, err error) {
	return r.RetryerV2.GetAttemptToken(tickingContext{ctx})
}

// A tickingContext takes a nanosecond for each call of Done. Each wait calls Done.
type tickingContext struct{ context.Context }

// Done implements context.Context.
func (c tickingContext) Done() <-chan struct{} {
	time.Sleep(time.Nanosecond)
	return c.Context.Done()
}

// A patient Adaptive sends each request until it succeeds. After a refusal it limits its own rate: later calls wait for
// tokens.
func TestPatientAdaptive(t *testing.T) {
	for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
		oneProcessor(t)
		play := func(refused int64) ratelimittest.Figures {
			var arrived atomic.Int64
			return ratelimittest.Run(t, ratelimittest.Scenario{
				Dialect: ratelimittest.Silent, Refuse: ratelimittest.Respond(status, "rate limit reached"),
				Limiter: ratelimittest.LimiterFunc(func(time.Time, string, int64) ratelimittest.Decision {
					return ratelimittest.Decision{Allowed: arrived.Add(1) > refused}
				}),
				NewClient: func(base http.RoundTripper) *http.Client { return &http.Client{Transport: newSilentAdaptive(base)} },
				Load:      ratelimittest.Batch{Requests: 60}, Latency: latency,
			})
		}
		f := play(200)
		require.Equal(t, 60, f.Served)
		require.Equal(t, 200, f.Refused)
		free, limited := play(0).Arrivals, play(1).Arrivals
		require.Equal(t, latency, free[2].Time.Sub(free[1].Time))
		require.Greater(t, limited[2].Time.Sub(limited[1].Time), 4*latency)
	}
}
