package bench_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// Adaptive is an http.RoundTripper that sends requests as a client of the AWS SDK does
// in its adaptive retry mode. The retryer, the middleware that drives it and the
// handler that sends are the SDK's own. Adaptive stands in for what is generated for
// each service: it turns a refusal into the error that a service of AWS would have
// made of it, because the SDK goes by the codes of errors and does not read
// Retry-After. Requests must have no body.
type Adaptive struct {
	attempts *retry.Attempt
	sender   smithyhttp.ClientHandler
}

// newAdaptive returns an Adaptive with the SDK's defaults: a request is sent three times
// at most, and a client has 500 tokens for its retries, of which each costs five that
// are lost if it is refused.
func newAdaptive(base http.RoundTripper) http.RoundTripper {
	return adaptive(base, retry.NewAdaptiveMode())
}

// newPatientAdaptive returns an Adaptive that sends each request until it is allowed,
// with a longest delay between two attempts. To the middleware 0 attempts are no bound.
func newPatientAdaptive(base http.RoundTripper, longest time.Duration) http.RoundTripper {
	mode := retry.NewAdaptiveMode(func(o *retry.AdaptiveModeOptions) {
		o.StandardOptions = append(o.StandardOptions, func(o *retry.StandardOptions) {
			o.RateLimiter, o.MaxBackoff = ratelimit.None, longest
		})
	})
	return adaptive(base, retry.AddWithMaxAttempts(mode, 0).(aws.RetryerV2))
}

// newSilentAdaptive is the same with the SDK's own longest delay, for servers that
// nothing is known of.
func newSilentAdaptive(base http.RoundTripper) http.RoundTripper {
	return newPatientAdaptive(base, retry.DefaultMaxBackoff)
}

func adaptive(base http.RoundTripper, retryer aws.RetryerV2) *Adaptive {
	return &Adaptive{
		attempts: retry.NewAttemptMiddleware(ticking{retryer}, smithyhttp.RequestCloner),
		sender:   smithyhttp.NewClientHandlerWithOptions(&http.Client{Transport: base}),
	}
}

// RoundTrip implements http.RoundTripper. Its errors are those of the SDK.
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

// errorCode is what services of AWS call a refusal with this status: API Gateway and
// Lambda, among others, and S3. The SDK knows both codes for those of throttles. "": it
// is none.
func errorCode(status int) string {
	switch status {
	case http.StatusTooManyRequests:
		return "TooManyRequestsException"
	case http.StatusServiceUnavailable:
		return "SlowDown"
	}
	return ""
}

// A ticking retryer lets time pass while it waits for a token. AdaptiveMode waits for as
// long as the missing part of the token takes, in whole nanoseconds, and then looks
// again. If that is less than one, a real clock has moved on in the meantime anyway, but
// the clock of a bubble has not, nor will it: AdaptiveMode would look for ever.
type ticking struct{ aws.RetryerV2 }

// GetAttemptToken implements aws.RetryerV2.
func (r ticking) GetAttemptToken(ctx context.Context) (release func(error) error, err error) {
	return r.RetryerV2.GetAttemptToken(tickingContext{ctx})
}

// A tickingContext takes a nanosecond for each look at Done, which comes with each wait.
type tickingContext struct{ context.Context }

// Done implements context.Context.
func (c tickingContext) Done() <-chan struct{} {
	time.Sleep(time.Nanosecond)
	return c.Context.Done()
}
